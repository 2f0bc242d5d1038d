#!lua
-- Counts an install, once per visitor and day. `urgent` stays: readers may see the count up to a second late.
--
-- KEYS  1 state  2 bot:<id>  3 changes  4 installs
-- ARGV  1 highest version that the caller knows  2 an epoch, if one is needed  3 offset of the clock (ms)
--       4 bot id  5 the visitor of this bot  6 seconds in which a visitor counts once
--       7 most visitors that are remembered
-- Returns  'missing', 'repeated' or 'counted'
-- @include lineage
-- @include next-change

if redis.call('HEXISTS', KEYS[2], 'id') == 0 or redis.call('HEXISTS', KEYS[2], 'state') == 1 then
  return 'missing'
end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[3])
local before = string.format('%.0f', nowMs - ARGV[6] * 1000)
local seen = redis.call('ZSCORE', KEYS[4], ARGV[5])
if seen and tonumber(seen) > tonumber(before) then
  return 'repeated'
end
local version, at, state = nextChange(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
-- The only write that can fail, on a key of the wrong type, comes first.
redis.call('ZADD', KEYS[3], version, ARGV[4])
redis.call('ZADD', KEYS[4], string.format('%.0f', nowMs), ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', before)
redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[7])
-- Without new visitors, the remembered ones expire too.
redis.call('EXPIRE', KEYS[4], ARGV[6])
redis.call('HINCRBY', KEYS[2], 'install_count', 1)
redis.call('HSET', KEYS[2], 'changed_at', at)
redis.call('HSET', KEYS[1], unpack(state))
return 'counted'
