#!lua
-- Claims the next reading of a bot's template, unless the last one was claimed a short time ago. A claim without a
-- result, whose process may have died, stands only while its reading may be under way.
--
-- KEYS  1 bot:<id>
-- ARGV  1 seconds between two readings  2 seconds that a reading may be under way
-- Returns  {'missing'}          or hidden, or waiting for approval
--          {'removed', reason}
--          {'recent', when it was claimed (ms), its result, seconds until the next}
--          {'unfinished'}       it is under way
--          {'claimed', when (ms), hash as a flat list, as it was before}
-- @include clock

local id, botState, reason, readAt, result =
  unpack(redis.call('HMGET', KEYS[1], 'id', 'state', 'reason', 'read_at', 'read_result'))
if botState == 'removed' then
  return { 'removed', reason }
elseif botState or not id then
  return { 'missing' }
end
local now = serverMs()
local nextAt = (readAt or 0) + ARGV[result and 1 or 2] * 1000
-- One that was claimed later than now was claimed under a clock that was ahead.
if now < nextAt and tonumber(readAt) <= now then
  if not result then
    return { 'unfinished' }
  end
  return { 'recent', readAt, result, math.ceil((nextAt - now) / 1000) }
end
local at, hash = string.format('%.0f', now), redis.call('HGETALL', KEYS[1])
redis.call('HSET', KEYS[1], 'read_at', at)
redis.call('HDEL', KEYS[1], 'read_result')
return { 'claimed', at, hash }
