-- Registers a URL, resumes a stopped one where it stopped, or replaces the secret of an active one. It can also let one
-- that is stopped or waits step past an event.
--
-- KEYS  1 urls  2 hosts  3 targets  4 cursor  5 stopped  6 taken  7 failures  8 secrets
--       9 domains  10 waiting   (all of one partition)
-- ARGV  1 new id  2 url  3 host  4 most webhooks of one host  5 number of the last event  6 secret, or ''
--       7 registrable domain of the host
--       8 the cursor that a caller saw, and 9 the number of the event after it, to step past that one; or '' and ''
-- Returns  {'exists', id}      registered and active, and no new secret was given
--          {'replaced', id}    registered and active; its secret is now ARGV[6]
--          {'too_many'}        the host has as many as it may
--          {'added', id}       it will be sent the events after ARGV[5]
--          {'resumed', id}     it was stopped, or steps past an event; its count is zero
-- @include types

expectType('hash', { KEYS[1], KEYS[2], KEYS[3], KEYS[6], KEYS[7], KEYS[8], KEYS[9] })
expectType('zset', { KEYS[4], KEYS[10] })
expectType('set', { KEYS[5] })

-- Without a new secret, the old one is kept.
local function keepSecret(id)
  if ARGV[6] == '' or redis.call('HGET', KEYS[8], id) == ARGV[6] then
    return false
  end
  redis.call('HSET', KEYS[8], id, ARGV[6])
  return true
end

local id = redis.call('HGET', KEYS[1], ARGV[2])
if id then
  local cursor = redis.call('HGET', KEYS[6], id)
  local isPast = ARGV[8] ~= '' and ARGV[8] == cursor
  if redis.call('SREM', KEYS[5], id) == 0 and not (isPast and redis.call('ZREM', KEYS[10], id) == 1) then
    return { keepSecret(id) and 'replaced' or 'exists', id }
  end
  redis.call('ZADD', KEYS[4], isPast and ARGV[9] or cursor, id)
  redis.call('HDEL', KEYS[6], id)
  redis.call('HDEL', KEYS[7], id)
  keepSecret(id)
  return { 'resumed', id }
end

if tonumber(redis.call('HGET', KEYS[2], ARGV[3]) or '0') >= tonumber(ARGV[4]) then
  return { 'too_many' }
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('HINCRBY', KEYS[2], ARGV[3], 1)
redis.call('HINCRBY', KEYS[9], ARGV[7], 1)
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[1])
keepSecret(ARGV[1])
return { 'added', ARGV[1] }
