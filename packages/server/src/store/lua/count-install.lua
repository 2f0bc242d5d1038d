#!lua
-- Counts an install, once per visitor and day. `urgent` stays: readers may see the count up to a second late.
--
-- KEYS  1 state  2 bot:<id>  3 changes  4 install:<id>:<visitor>
-- ARGV  1 highest version that the caller knows  2 an epoch, if one is needed  3 offset of the clock (ms)
--       4 bot id  5 seconds in which a visitor counts once
-- Returns  'missing', 'repeated' or 'counted'
-- @include lineage
-- @include next-change

if redis.call('HEXISTS', KEYS[2], 'id') == 0 or redis.call('HEXISTS', KEYS[2], 'state') == 1 then
  return 'missing'
end
if redis.call('EXISTS', KEYS[4]) == 1 then
  return 'repeated'
end
local version, at, state = nextChange(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
-- The only write that can fail, on a key of the wrong type, comes first.
redis.call('ZADD', KEYS[3], version, ARGV[4])
redis.call('SET', KEYS[4], '1', 'EX', ARGV[5])
redis.call('HINCRBY', KEYS[2], 'install_count', 1)
redis.call('HSET', KEYS[2], 'changed_at', at)
redis.call('HSET', KEYS[1], unpack(state))
return 'counted'
