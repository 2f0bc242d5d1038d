-- Registers a URL, or brings a stopped one back where it stopped.
--
-- KEYS  1 urls  2 hosts  3 webhook:<new id>  4 cursor   (all of one partition)
-- ARGV  1 new id  2 url  3 host  4 most webhooks of one host  5 number of the last event  6 now (ms)
--       7 prefix of webhook:<id> (same slot)
-- Returns  {'exists', id}      registered and active
--          {'too_many'}        the host has as many as it may
--          {'added', id}       it will be sent the events after ARGV[5]
--          {'resumed', id}     it was stopped; its count is zero and its cursor where it was

local id = redis.call('HGET', KEYS[1], ARGV[2])
if id then
  local key = ARGV[7] .. id
  if redis.call('HGET', key, 'state') ~= 'stopped' then
    return { 'exists', id }
  end
  redis.call('HSET', key, 'state', 'active', 'failures', 0)
  redis.call('HDEL', key, 'last_failure')
  redis.call('ZADD', KEYS[4], redis.call('HGET', key, 'cursor'), id)
  return { 'resumed', id }
end

if tonumber(redis.call('HGET', KEYS[2], ARGV[3]) or '0') >= tonumber(ARGV[4]) then
  return { 'too_many' }
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('HINCRBY', KEYS[2], ARGV[3], 1)
redis.call('HSET', KEYS[3], 'url', ARGV[2], 'host', ARGV[3], 'state', 'active', 'failures', 0, 'created_at', ARGV[6])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[1])
return { 'added', ARGV[1] }
