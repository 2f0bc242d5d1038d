#!lua flags=allow-oom
-- Changes fields of a bot, if they still have the values that the change was made from; with an event, and a line in
-- the audit log if an operator made the change. It is no row of `moderate.lua`, because it moves nothing: readings of
-- templates change fields with it too.
--
-- KEYS  1 state  2 bot:<id>  3 changes  4 events  5 event-ids  6 audit
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words; '' for none  4 bot id
--       5 id of the event, or '' if readers see no change
--       6 version of the blocks that the change was checked against, or ''
--       7 … for each field: its name, the value it has, the value that it gets; '' is the same as none
-- Returns  'missing'   or removed; or not listed: only an operator may change it then
--          'outdated'  the fields or the blocks have changed: make the change again
--          'changed'
-- @include next-change
-- @include event
-- @include audit
-- @include change-fields
-- @include types

local operator, eventId = ARGV[2], ARGV[5]
local slug, botState = unpack(redis.call('HMGET', KEYS[2], 'slug', 'state'))
if not slug or botState == 'removed' or botState and operator == '' then
  return 'missing'
elseif ARGV[6] ~= '' and (redis.call('HGET', KEYS[1], 'blocks') or '0') ~= ARGV[6] then
  return 'outdated'
end
local fields = changedFields(KEYS[2], 7)
if not fields then
  return 'outdated'
end

local version, at, state = nextChange(KEYS[1])
if eventId ~= '' then
  expectType('zset', { KEYS[3] })
  expectType('stream', { KEYS[6] })
  if botState then
    redis.call('HSET', KEYS[1], 'urgent', version, unpack(state))
  else
    local event = { number = version, at = at, id = eventId, type = 'bot.updated', bot = ARGV[4] }
    addEvent({ state = KEYS[1], events = KEYS[4], ids = KEYS[5] }, event, state)
  end
  redis.call('ZADD', KEYS[3], version, ARGV[4])
  redis.call('HSET', KEYS[2], 'changed_at', at, 'updated_at', at)
  if operator ~= '' then
    addAuditLine(KEYS[6], { at = at, action = 'edit', count = 1, bots = { slug } })
  end
end
if #fields > 0 then
  redis.call('HSET', KEYS[2], unpack(fields))
end
return 'changed'
