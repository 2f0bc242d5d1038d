-- Reads the state of a webhook at one instant: between two commands it could move from one key to another.
--
-- KEYS  those of `webhookKeys`, in its order   (all of one partition)
-- ARGV  1 url
-- Returns  'missing', or {id, stopped, cursor, due, failures, skipped, subscription, secret, attempts}
--          stopped   1, or 0
--          cursor    number of the last event it has
--          due       when it is tried next (ms), or false
--          failures  as they are stored, or false; the others the same
-- @include webhook

local keys = webhookKeys(KEYS)
local id = redis.call('HGET', keys.urls, ARGV[1])
if not id then
  return 'missing'
end
local queue = queueOf(keys, id)
return {
  id,
  redis.call('SISMEMBER', queue.stopped, id),
  positionOf(keys, id),
  redis.call('ZSCORE', queue.waiting, id),
  redis.call('HGET', keys.failures, id),
  redis.call('HGET', keys.skipped, id),
  redis.call('HGET', keys.subscriptions, id),
  redis.call('HGET', keys.secrets, id),
  redis.call('HGET', keys.attempts, id),
}
