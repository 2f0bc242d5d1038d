#!lua
-- Saves a report of a bot. If the bot has too many, its oldest are deleted; if there are too many in all, the oldest of
-- all.
--
-- KEYS  1 bot:<id>  2 reports
-- ARGV  1 report id  2 bot id  3 reason  4 text  5 how far ahead of the store's clock it is now (ms)
--       6 most reports of a bot  7 most reports  8 prefix of report:<id> and reports-of:<bot id> (same slot)
-- Returns  'missing', 'hidden', 'pending', 'removed' or 'kept'

local state = redis.call('HGET', KEYS[1], 'state')
if state then
  return state
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
local time = redis.call('TIME')
local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[5])
local prefix = ARGV[8]

local function drop(id)
  local key = prefix .. 'report:' .. id
  local bot = redis.call('HGET', key, 'bot')
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[2], id)
  if bot then
    redis.call('ZREM', prefix .. 'reports-of:' .. bot, id)
  end
end

local ofBot = prefix .. 'reports-of:' .. ARGV[2]
if redis.call('ZCARD', ofBot) >= tonumber(ARGV[6]) then
  drop(redis.call('ZRANGE', ofBot, 0, 0)[1])
end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[7]) then
  drop(redis.call('ZRANGE', KEYS[2], 0, 0)[1])
end
redis.call('ZADD', KEYS[2], nowMs, ARGV[1])
redis.call('HSET', prefix .. 'report:' .. ARGV[1], 'bot', ARGV[2], 'reason', ARGV[3], 'text', ARGV[4], 'at', nowMs)
redis.call('ZADD', ofBot, nowMs, ARGV[1])
return 'kept'
