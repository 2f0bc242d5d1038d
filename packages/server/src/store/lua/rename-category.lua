#!lua
-- Renames a category of bots: all in one step, with an event for each that is listed.
--
-- KEYS  1 state  2 changes  3 events  4 event-ids
-- ARGV  1 … for each bot: its id, when it last changed, its categories, and the event's id
-- Returns  how many bots changed; one that has changed meanwhile is left out
-- @include next-change
-- @include event
-- @include prefix

local first, at, state = nextChange(KEYS[1])
local keys = { state = KEYS[1], events = KEYS[3], ids = KEYS[4] }
expectType('zset', { KEYS[2] })

local changed = 0
for i = 1, #ARGV, 4 do
  local bot = prefix .. 'bot:' .. ARGV[i]
  local changedAt, botState = unpack(redis.call('HMGET', bot, 'changed_at', 'state'))
  if (changedAt or '') == ARGV[i + 1] then
    local version = string.format('%.0f', tonumber(first) + changed)
    if botState then
      recordVersion(version)
      redis.call('HSET', KEYS[1], unpack(state))
      redis.call('HSET', KEYS[1], 'version', version, 'urgent', version)
    else
      local event = { number = version, at = at, id = ARGV[i + 3], type = 'bot.updated', bot = ARGV[i] }
      addEvent(keys, event, state)
    end
    redis.call('ZADD', KEYS[2], version, ARGV[i])
    redis.call('HSET', bot, 'categories', ARGV[i + 2], 'changed_at', at, 'updated_at', at)
    changed = changed + 1
  end
end
return changed
