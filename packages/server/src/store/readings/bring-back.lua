#!lua
-- Lists a bot again whose template was gone and is back, with what the template says now and an event, if the bot's
-- fields still have the values that this change was made from.
--
-- KEYS  1 … 8 those of movingKeys  9 bot:<id>
-- ARGV  1 bot id  2 id of the event  3 version of the blocks that it was checked against
--       4 … for each field: its name, the value it has, the value that it gets; '' is the same as none
-- Returns  'missing'   it is not gone any more
--          'outdated'  the fields or the blocks have changed
--          'changed'
-- @include next-change
-- @include move-entry
-- @include change-fields

local botState, reason, goneAt = unpack(redis.call('HMGET', KEYS[9], 'state', 'reason', 'gone_at'))
if botState ~= 'hidden' or reason ~= 'template_gone' or not goneAt then
  return 'missing'
elseif (redis.call('HGET', KEYS[1], 'blocks') or '0') ~= ARGV[3] then
  return 'outdated'
end
local fields = changedFields(KEYS[9], 4)
if not fields then
  return 'outdated'
end

local version, at, state = nextChange(KEYS[1])
moveEntry(movingKeys(), { version = version, at = at, state = state }, {
  id = ARGV[1],
  to = 'listed',
  from = ',hidden,',
  reason = '',
  eventId = ARGV[2],
})
if #fields > 0 then
  redis.call('HSET', KEYS[9], unpack(fields))
end
return 'changed'
