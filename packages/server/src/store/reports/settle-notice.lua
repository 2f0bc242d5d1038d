#!lua
-- Ends a notice that was claimed. One that was not taken is due again later each time, with what is new by then, and
-- given up in the end.
--
-- KEYS  1 notices  2 state
-- ARGV  1 1 if it was taken  2 how long no other is due then (ms)  3 most attempts  4 … what claim-notice returned last
-- Returns  'sent', 'failed' or 'given up'
-- @include caller
-- @include clock
-- @include types

expectType('hash', { KEYS[1] })
refuseEmptied(redis.call('HGET', KEYS[2], 'version'))

local function due(inMs)
  redis.call('HSET', KEYS[1], 'due_at', string.format('%.0f', serverMs() + inMs))
end

local failures = ARGV[1] == '1' and 0 or redis.call('HINCRBY', KEYS[1], 'failures', 1)
if failures > 0 and failures < tonumber(ARGV[3]) then
  due(60000 * 5 ^ (failures - 1))
  return 'failed'
end
due(ARGV[2])
redis.call('HSET', KEYS[1], 'failures', 0, 'reported', ARGV[4], 'waiting', ARGV[5], 'refused_before', ARGV[6])
return failures == 0 and 'sent' or 'given up'
