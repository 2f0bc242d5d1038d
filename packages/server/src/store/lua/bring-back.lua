#!lua
-- Lists a bot again whose template was gone and is back, with what the template says now and an event, if the bot's
-- fields still have the values that this change was made from.
--
-- KEYS  1 … 9 those of movingKeys  10 bot:<id>
-- ARGV  1 bot id  2 id of the event  3 version of the blocks that it was checked against
--       4 … for each field: its name, the value it has, the value that it gets; '' is the same as none
-- Returns  'missing'   it is not gone any more
--          'outdated'  the fields or the blocks have changed
--          'changed'
-- @include next-change
-- @include move-bot
-- @include change-fields

local botState, reason, goneAt = unpack(redis.call('HMGET', KEYS[10], 'state', 'reason', 'gone_at'))
if botState ~= 'hidden' or reason ~= 'template_gone' or not goneAt then
  return 'missing'
elseif (redis.call('HGET', KEYS[1], 'blocks') or '0') ~= ARGV[3] then
  return 'outdated'
end
local fields = changedFields(KEYS[10], 4)
if not fields then
  return 'outdated'
end

local version, at, state = nextChange(KEYS[1])
moveBot(movingKeys(), { version = version, at = at, state = state }, {
  id = ARGV[1],
  to = 'listed',
  from = ',hidden,',
  reason = '',
  eventId = ARGV[2],
})
if #fields > 0 then
  redis.call('HSET', KEYS[10], unpack(fields))
end
return 'changed'
