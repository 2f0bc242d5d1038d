#!lua flags=allow-oom
-- Removes a webhook, whatever its state. Settling a delivery in flight then has no effect.
--
-- KEYS  those of `webhookKeys`, in its order   (all of one partition)
-- ARGV  1 url  2 host  3 registrable domain of the host  4 'stopped' for one that is stopped only
--       5 … the names that `hosts` counts it under, without its client's
-- Returns  'missing' or the id
-- @include webhook

local keys = webhookKeys(KEYS)
local id = redis.call('HGET', keys.urls, ARGV[1])
if not id or (ARGV[4] == 'stopped' and redis.call('SISMEMBER', queueOf(keys, id).stopped, id) == 0) then
  return 'missing'
end
expectWebhookTypes(keys)
redis.call('HDEL', keys.urls, ARGV[1])
local function uncount(key, name)
  if redis.call('HINCRBY', key, name, -1) <= 0 then
    redis.call('HDEL', key, name)
  end
end
uncount(keys.domains, ARGV[3])
for i = 5, #ARGV do
  uncount(keys.hosts, ARGV[i])
end
local client = redis.call('HGET', keys.registrants, id)
if client then
  uncount(keys.hosts, ARGV[2] .. ' ' .. client)
end
leave(keys, id)
dropSubscription(keys, id)
for _, key in ipairs({ keys.targets, keys.secrets, keys.skipped, keys.registrants, keys.attempts }) do
  redis.call('HDEL', key, id)
end
return id
