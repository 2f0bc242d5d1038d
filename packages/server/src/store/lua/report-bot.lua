#!lua
-- Saves a report of a bot or a post. If the subject has too many, its oldest is deleted; if there are too many in all,
-- the oldest of all.
--
-- KEYS  1 bot:<id> or post:<id>  2 reports
-- ARGV  1 report id  2 id of the bot or post  3 reason  4 text  5 most reports of one  6 most reports  7 prefix of
--       report:<id> and reports-of:<id> (same slot)
-- Returns  'missing', 'hidden', 'pending', 'removed' or 'kept'
-- @include clock
-- @include drop-reports

local state = redis.call('HGET', KEYS[1], 'state')
if state then
  return state
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
local at = string.format('%.0f', serverMs())
local prefix = ARGV[7]

local ofBot = prefix .. 'reports-of:' .. ARGV[2]
if redis.call('ZCARD', ofBot) >= tonumber(ARGV[5]) then
  dropReport(KEYS[2], prefix, redis.call('ZRANGE', ofBot, 0, 0)[1])
end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then
  dropReport(KEYS[2], prefix, redis.call('ZRANGE', KEYS[2], 0, 0)[1])
end
redis.call('ZADD', KEYS[2], at, ARGV[1])
redis.call('HSET', prefix .. 'report:' .. ARGV[1], 'bot', ARGV[2], 'reason', ARGV[3], 'text', ARGV[4], 'at', at)
redis.call('ZADD', ofBot, at, ARGV[1])
return 'kept'
