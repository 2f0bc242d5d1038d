#!lua flags=allow-oom
-- Withdraws a bot whose template the provider has not had for long enough, like a hidden one, with its event; unless so
-- many are missing that the provider must be at fault.
--
-- KEYS  1 … 10 those of movingKeys  11 bot:<id>
-- ARGV  1 bot id  2 … 5 the event's id, its type, 1 when it is delivered, its envelope
--       6 how often in a row it must have been missing  7 for how long (ms)  8 of so many listed bots, one may be
--       missing  9 ms until it is read again
-- Returns  'withdrawn'
--          'early'  it has not been missing often enough, or for long enough, or is no longer listed
--          'held'   too many are missing
-- @include next-change
-- @include move-bot

local id = ARGV[1]
local missed, missedAt, botState = unpack(redis.call('HMGET', KEYS[11], 'missed', 'missed_at', 'state'))
if botState or tonumber(missed or '0') < tonumber(ARGV[6]) or serverMs() - (missedAt or serverMs()) < tonumber(ARGV[7]) then
  return 'early'
elseif redis.call('ZCARD', KEYS[9]) > math.max(1, redis.call('ZCARD', KEYS[2]) / ARGV[8]) then
  return 'held'
end

local version, at, state = nextChange(KEYS[1])
moveBot(movingKeys(), { version = version, at = at, state = state }, {
  id = id,
  to = 'hidden',
  from = ',listed,',
  reason = 'template_gone',
  event = eventFrom(2),
})
redis.call('HSET', KEYS[11], 'gone_at', at)
redis.call('ZADD', KEYS[10], string.format('%.0f', at + ARGV[9]), id)
return 'withdrawn'
