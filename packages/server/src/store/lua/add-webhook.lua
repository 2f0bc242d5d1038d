-- Registers a URL, resumes a stopped one where it stopped, or replaces the secret of an active one.
--
-- KEYS  1 urls  2 hosts  3 targets  4 cursor  5 stopped  6 taken  7 failures  8 secrets
--       9 domains   (all of one partition)
-- ARGV  1 new id  2 url  3 host  4 most webhooks of one host  5 number of the last event  6 secret, or ''
--       7 registrable domain of the host
-- Returns  {'exists', id}      registered and active, and no new secret was given
--          {'replaced', id}    registered and active; its secret is now ARGV[6]
--          {'too_many'}        the host has as many as it may
--          {'added', id}       it will be sent the events after ARGV[5]
--          {'resumed', id}     it was stopped; its count is zero and its cursor where it was

-- A key of the wrong type fails here, when it is read: a script cannot roll back after its first write.
for _, i in ipairs({ 1, 2, 3, 6, 7, 8, 9 }) do
  redis.call('HLEN', KEYS[i])
end
redis.call('ZCARD', KEYS[4])
redis.call('SCARD', KEYS[5])

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
  if redis.call('SREM', KEYS[5], id) == 0 then
    return { keepSecret(id) and 'replaced' or 'exists', id }
  end
  redis.call('ZADD', KEYS[4], redis.call('HGET', KEYS[6], id), id)
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
