-- Removes a webhook, whatever its state. Settling a delivery in flight then has no effect.
--
-- KEYS  1 urls  2 hosts  3 targets  4 taken  5 failures  6 secrets  7 stopped  8 cursor  9 leased  10 waiting
--       11 yielded  12 domains  13 skipped   (all of one partition)
-- ARGV  1 url  2 host  3 registrable domain of the host  4 'stopped' for one that is stopped only
-- Returns  'missing' or the id
-- @include types

local id = redis.call('HGET', KEYS[1], ARGV[1])
if not id or (ARGV[4] == 'stopped' and redis.call('SISMEMBER', KEYS[7], id) == 0) then
  return 'missing'
end
expectType('hash', { KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[12], KEYS[13] })
expectType('set', { KEYS[7] })
expectType('zset', { KEYS[8], KEYS[9], KEYS[10], KEYS[11] })
redis.call('HDEL', KEYS[1], ARGV[1])
for key, name in pairs({ [KEYS[2]] = ARGV[2], [KEYS[12]] = ARGV[3] }) do
  if redis.call('HINCRBY', key, name, -1) <= 0 then
    redis.call('HDEL', key, name)
  end
end
for i = 3, 6 do
  redis.call('HDEL', KEYS[i], id)
end
redis.call('HDEL', KEYS[13], id)
redis.call('SREM', KEYS[7], id)
for i = 8, 11 do
  redis.call('ZREM', KEYS[i], id)
end
return id
