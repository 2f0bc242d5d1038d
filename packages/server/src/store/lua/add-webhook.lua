-- Registers a URL, resumes a stopped one where it stopped, or replaces the secret or the subscription of an active one. It
-- can also let one that is stopped or waits step past an event. One with another subscription continues at once.
--
-- KEYS  those of `webhookKeys`, in its order   (all of one partition)
-- ARGV  1 new id  2 url  3 mark of the client, or ''  4 number of the last event  5 secret, or ''
--       6 registrable domain of the host
--       7 the cursor that a caller saw, and 8 the number of the event after it, to step past that one; or '' and ''
--       9 its subscription and topics, a line each; '-' for what every webhook gets; or '' to keep what it has
--       10 … for each limit: the name that `hosts` counts it under, and the most webhooks
-- Returns  {'exists', id}      registered and active, and no new secret or subscription was given
--          {'replaced', id}    registered and active; its secret or subscription is now the one that was given
--          {'too_many', i}     a limit is reached, the first of which is 0
--          {'added', id}       it will be sent the events after ARGV[4]
--          {'resumed', id}     it was stopped, or steps past an event; its count is zero
-- @include webhook

local keys = webhookKeys(KEYS)
local url, subscription = ARGV[2], ARGV[9]
expectWebhookTypes(keys)

-- Without a new secret, the old one is kept.
local function keepSecret(id)
  if ARGV[5] == '' or redis.call('HGET', keys.secrets, id) == ARGV[5] then
    return false
  end
  redis.call('HSET', keys.secrets, id, ARGV[5])
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
  local isPast = ARGV[7] ~= ''
    and ARGV[7] == redis.call('HGET', keys.taken, id)
    and (isStopped or redis.call('ZSCORE', queue.waiting, id))
  local isOther = subscription ~= '' and subscription ~= (redis.call('HGET', keys.interests, id) or '-')
  if not (isStopped or isPast or isOther) then
    return { keepSecret(id) and 'replaced' or 'exists', id }
  end
  local position = isPast and ARGV[8] or positionOf(keys, id)
  leave(keys, id)
  continueAt(id, position)
  keepSecret(id)
  return { (isStopped or isPast) and 'resumed' or 'replaced', id }
end

for i = 10, #ARGV, 2 do
  if tonumber(redis.call('HGET', keys.hosts, ARGV[i]) or '0') >= tonumber(ARGV[i + 1]) then
    return { 'too_many', (i - 10) / 2 }
  end
end
redis.call('HSET', keys.urls, url, ARGV[1])
for i = 10, #ARGV, 2 do
  redis.call('HINCRBY', keys.hosts, ARGV[i], 1)
end
redis.call('HINCRBY', keys.domains, ARGV[6], 1)
if ARGV[3] ~= '' then
  redis.call('HSET', keys.registrants, ARGV[1], ARGV[3])
end
redis.call('HSET', keys.targets, ARGV[1], url)
continueAt(ARGV[1], ARGV[4])
keepSecret(ARGV[1])
return { 'added', ARGV[1] }
