-- Registers a URL whose ping was accepted, resumes one that is stopped or waits, or replaces the secret, the headers or
-- the subscription of an active one. It can also let one that is stopped or waits step past an event. Whatever it
-- changed continues at once.
--
-- KEYS  those of `webhookKeys`, in its order   (all of one partition)
-- ARGV  1 new id  2 url  3 mark of the client, or ''  4 number of the last event  5 secret, or '' to keep what it has
--       6 headers as JSON; '-' for none; or '' to keep what it has
--       7 registrable domain of the host
--       8 the cursor that a caller saw, and 9 the number of the event after it, to step past that one; or '' and ''
--       10 its subscription and topics, a line each; '-' for what every webhook gets; or '' to keep what it has
--       11 … for each limit: the name that `hosts` counts it under, and the most webhooks
-- Returns  {'exists', id}      registered and active, and nothing new was given
--          {'replaced', id}    registered and active; what was given is now in force
--          {'too_many', i}     a limit is reached, the first of which is 0
--          {'added', id}       it will be sent the events after ARGV[4]
--          {'resumed', id}     it was stopped or waited; its count is zero
-- @include webhook

local keys = webhookKeys(KEYS)
local url = ARGV[2]
expectWebhookTypes(keys)
local known = redis.call('HGET', keys.urls, url)
local id = known or ARGV[1]

local function chosen(given, held)
  return given == '' and held or given
end

-- Its secret and, on a second line, its headers.
local held = redis.call('HGET', keys.secrets, id) or ''
local secret, headers = string.match(held, '^([^\n]*)\n?(.*)$')
secret, headers = chosen(ARGV[5], secret), chosen(ARGV[6], headers)
local private = (headers == '' or headers == '-') and secret or secret .. '\n' .. headers

local former = redis.call('HGET', keys.subscriptions, id) or '-'
local subscription = chosen(ARGV[10], former)

local function keepPrivate()
  if private == '' then
    redis.call('HDEL', keys.secrets, id)
  elseif private ~= held then
    redis.call('HSET', keys.secrets, id, private)
  end
end

local function continueAt(position)
  if subscription ~= former then
    dropSubscription(keys, id)
    if subscription ~= '-' then
      setSubscription(keys, id, subscription)
    end
  end
  redis.call('ZADD', queueOf(keys, id).cursor, position, id)
end

if known then
  local queue = queueOf(keys, id)
  local isHeldUp = redis.call('SISMEMBER', queue.stopped, id) == 1 or redis.call('ZSCORE', queue.waiting, id) ~= false
  local isPast = isHeldUp and ARGV[8] ~= '' and ARGV[8] == redis.call('HGET', keys.taken, id)
  keepPrivate()
  if not (isHeldUp or private ~= held or subscription ~= former) then
    return { 'exists', id }
  end
  local position = isPast and ARGV[9] or positionOf(keys, id)
  leave(keys, id)
  continueAt(position)
  return { isHeldUp and 'resumed' or 'replaced', id }
end

for i = 11, #ARGV, 2 do
  if tonumber(redis.call('HGET', keys.hosts, ARGV[i]) or '0') >= tonumber(ARGV[i + 1]) then
    return { 'too_many', (i - 11) / 2 }
  end
end
redis.call('HSET', keys.urls, url, id)
for i = 11, #ARGV, 2 do
  redis.call('HINCRBY', keys.hosts, ARGV[i], 1)
end
redis.call('HINCRBY', keys.domains, ARGV[7], 1)
if ARGV[3] ~= '' then
  redis.call('HSET', keys.registrants, id, ARGV[3])
end
redis.call('HSET', keys.targets, id, url)
continueAt(ARGV[4])
keepPrivate()
return { 'added', id }
