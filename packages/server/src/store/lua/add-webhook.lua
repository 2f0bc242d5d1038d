-- Registers a URL, resumes a stopped one where it stopped, or replaces the secret or the subscription of an active one. It
-- can also let one that is stopped or waits step past an event. One with another subscription continues at once.
--
-- KEYS  those of `webhookKeys`, in its order   (all of one partition)
-- ARGV  1 new id  2 url  3 host  4 most webhooks of one host  5 number of the last event  6 secret, or ''
--       7 registrable domain of the host
--       8 the cursor that a caller saw, and 9 the number of the event after it, to step past that one; or '' and ''
--       10 its subscription and topics, a line each; '-' for what every webhook gets; or '' to keep what it has
-- Returns  {'exists', id}      registered and active, and no new secret or subscription was given
--          {'replaced', id}    registered and active; its secret or subscription is now the one that was given
--          {'too_many'}        the host has as many as it may
--          {'added', id}       it will be sent the events after ARGV[5]
--          {'resumed', id}     it was stopped, or steps past an event; its count is zero
-- @include webhook

local keys = webhookKeys(KEYS)
local url, host, subscription = ARGV[2], ARGV[3], ARGV[10]
expectWebhookTypes(keys)

-- Without a new secret, the old one is kept.
local function keepSecret(id)
  if ARGV[6] == '' or redis.call('HGET', keys.secrets, id) == ARGV[6] then
    return false
  end
  redis.call('HSET', keys.secrets, id, ARGV[6])
  return true
end

local function continueAt(id, position)
  if subscription ~= '' then
    dropSubscription(keys, id)
    if subscription ~= '-' then
      setSubscription(keys, id, subscription)
    end
  end
  redis.call('ZADD', queueOf(keys, id).cursor, position, id)
end

local id = redis.call('HGET', keys.urls, url)
if id then
  local queue = queueOf(keys, id)
  local isStopped = redis.call('SISMEMBER', queue.stopped, id) == 1
  local isPast = ARGV[8] ~= ''
    and ARGV[8] == redis.call('HGET', keys.taken, id)
    and (isStopped or redis.call('ZSCORE', queue.waiting, id))
  local isOther = subscription ~= '' and subscription ~= (redis.call('HGET', keys.interests, id) or '-')
  if not (isStopped or isPast or isOther) then
    return { keepSecret(id) and 'replaced' or 'exists', id }
  end
  local position = isPast and ARGV[9] or positionOf(keys, id)
  leave(keys, id)
  continueAt(id, position)
  keepSecret(id)
  return { (isStopped or isPast) and 'resumed' or 'replaced', id }
end

if tonumber(redis.call('HGET', keys.hosts, host) or '0') >= tonumber(ARGV[4]) then
  return { 'too_many' }
end
redis.call('HSET', keys.urls, url, ARGV[1])
redis.call('HINCRBY', keys.hosts, host, 1)
redis.call('HINCRBY', keys.domains, ARGV[7], 1)
redis.call('HSET', keys.targets, ARGV[1], url)
continueAt(ARGV[1], ARGV[5])
keepSecret(ARGV[1])
return { 'added', ARGV[1] }
