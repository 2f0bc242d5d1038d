#!lua
-- Begins another epoch if the server is not the one that the store was last connected to: a restarted or promoted
-- server may have lost something.
--
-- KEYS  1 state
-- ARGV  1 replication id of the server, or '' if it is unknown
-- @include next-change

local known, version = unpack(redis.call('HMGET', KEYS[1], 'server', 'version'))
if ARGV[1] == '' or known == ARGV[1] then
  return
end
refuseEmptied(version)
if version then
  caller.highest = math.max(caller.highest, tonumber(version) + 1)
  local first, _, state = nextChange(KEYS[1])
  recordVersion(first)
  redis.call('HSET', KEYS[1], unpack(state))
end
redis.call('HSET', KEYS[1], 'server', ARGV[1])
