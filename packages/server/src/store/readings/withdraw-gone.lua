#!lua flags=allow-oom
-- Withdraws a bot whose template the provider has not had for long enough, like a hidden one, with its event; unless so
-- many are missing that the provider must be at fault.
--
-- KEYS  1 … 8 those of movingKeys  9 bot:<id>
-- ARGV  1 bot id  2 id of the event  3 how often in a row it must have been missing  4 for how long (ms)
--       5 of so many listed bots, one may be missing  6 ms until it is read again
-- Returns  'withdrawn'
--          'early'  it has not been missing often enough, or for long enough, or is no longer listed
--          'held'   too many are missing
-- @include next-change
-- @include move-entry

local id = ARGV[1]
local missed, missedAt, botState = unpack(redis.call('HMGET', KEYS[9], 'missed', 'missed_at', 'state'))
if botState or tonumber(missed or '0') < tonumber(ARGV[3]) or serverMs() - (missedAt or serverMs()) < tonumber(ARGV[4]) then
  return 'early'
elseif redis.call('ZCARD', KEYS[7]) > math.max(1, redis.call('ZCARD', KEYS[2]) / ARGV[5]) then
  return 'held'
end

local version, at, state = nextChange(KEYS[1])
moveEntry(movingKeys(), { version = version, at = at, state = state }, {
  id = id,
  to = 'hidden',
  from = ',listed,',
  reason = 'template_gone',
  shownReason = 'template_gone',
  eventId = ARGV[2],
})
redis.call('HSET', KEYS[9], 'gone_at', at)
redis.call('ZADD', KEYS[8], string.format('%.0f', at + ARGV[6]), id)
return 'withdrawn'
