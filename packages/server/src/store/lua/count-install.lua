-- Counts an install, once per visitor and day. Readers may see it up to a second late: `urgent` stays.
--
-- KEYS  1 state  2 bot:<id>  3 changes  4 install:<id>:<visitor>
-- ARGV  1 bot id  2 seconds in which a visitor counts once  3 now (ms)
-- Returns  'missing', 'repeated' or 'counted'

if redis.call('EXISTS', KEYS[2]) == 0 then
  return 'missing'
end
if not redis.call('SET', KEYS[4], '1', 'NX', 'EX', ARGV[2]) then
  return 'repeated'
end
redis.call('HINCRBY', KEYS[2], 'install_count', 1)
redis.call('HSET', KEYS[2], 'changed_at', ARGV[3])
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('ZADD', KEYS[3], version, ARGV[1])
return 'counted'
