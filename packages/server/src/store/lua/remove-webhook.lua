-- Forgets a webhook, whatever its state. A delivery in flight settles to nothing.
--
-- KEYS  1 urls  2 hosts  3 cursor  4 leased  5 waiting   (all of one partition)
-- ARGV  1 url  2 host  3 prefix of webhook:<id> (same slot)
-- Returns  'missing' or the id

local id = redis.call('HGET', KEYS[1], ARGV[1])
if not id then
  return 'missing'
end
redis.call('HDEL', KEYS[1], ARGV[1])
if redis.call('HINCRBY', KEYS[2], ARGV[2], -1) <= 0 then
  redis.call('HDEL', KEYS[2], ARGV[2])
end
redis.call('DEL', ARGV[3] .. id)
redis.call('ZREM', KEYS[3], id)
redis.call('ZREM', KEYS[4], id)
redis.call('ZREM', KEYS[5], id)
return id
