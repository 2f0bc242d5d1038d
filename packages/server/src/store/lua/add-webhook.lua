-- Registers a URL, or brings a stopped one back where it stopped.
--
-- KEYS  1 urls  2 hosts  3 targets  4 cursor  5 stopped  6 taken  7 failures   (all of one partition)
-- ARGV  1 new id  2 url  3 host  4 most webhooks of one host  5 number of the last event
-- Returns  {'exists', id}      registered and active
--          {'too_many'}        the host has as many as it may
--          {'added', id}       it will be sent the events after ARGV[5]
--          {'resumed', id}     it was stopped; its count is zero and its cursor where it was

local id = redis.call('HGET', KEYS[1], ARGV[2])
if id then
  if redis.call('SREM', KEYS[5], id) == 0 then
    return { 'exists', id }
  end
  redis.call('ZADD', KEYS[4], redis.call('HGET', KEYS[6], id), id)
  redis.call('HDEL', KEYS[6], id)
  redis.call('HDEL', KEYS[7], id)
  return { 'resumed', id }
end

if tonumber(redis.call('HGET', KEYS[2], ARGV[3]) or '0') >= tonumber(ARGV[4]) then
  return { 'too_many' }
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('HINCRBY', KEYS[2], ARGV[3], 1)
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[1])
return { 'added', ARGV[1] }
