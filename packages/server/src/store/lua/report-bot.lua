#!lua
-- Saves a report of a bot or a post, and deletes the one that its client sent of it before. If the subject has too
-- many, or if there are too many in all, the oldest of the client with the most is deleted.
--
-- KEYS  1 bot:<id> or post:<id>  2 reports  3 state
-- ARGV  1 report id  2 id of the bot or post  3 reason  4 text  5 most reports of one  6 most reports  7 mark of
--       the client  8 the reason of the report that this one replaces, or '' for any
-- Returns  'missing', 'hidden', 'pending', 'removed' or 'kept'
-- @include clock
-- @include prefix
-- @include drop-reports

local state = redis.call('HGET', KEYS[1], 'state')
if state then
  return state
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
local at = string.format('%.0f', serverMs())
local client = ARGV[7]
local ofOne, by, reporters = prefix .. 'reports-of:' .. ARGV[2], prefix .. 'reports-by:' .. client, prefix .. 'reporters'

local function drop(id)
  dropReport(KEYS[2], id)
  redis.call('HINCRBY', KEYS[3], 'dropped_reports', 1)
end

-- Of the subject: its own earlier one, and the oldest of the client that sent most.
local most, mostOf = -1, nil
for _, id in ipairs(redis.call('ZRANGE', ofOne, 0, -1)) do
  local sender, reason = unpack(redis.call('HMGET', prefix .. 'report:' .. id, 'client', 'reason'))
  if sender == client and (ARGV[8] == '' or ARGV[8] == reason) then
    dropReport(KEYS[2], id)
  else
    local sent = tonumber(redis.call('ZSCORE', reporters, sender or '') or '0')
    if sent > most then
      most, mostOf = sent, id
    end
  end
end
if redis.call('ZCARD', ofOne) >= tonumber(ARGV[5]) then
  drop(mostOf)
end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then
  local first, sent = unpack(redis.call('ZREVRANGE', reporters, 0, 0, 'WITHSCORES'))
  -- Those of earlier releases have no client.
  local key = (sent and tonumber(sent) > 1) and prefix .. 'reports-by:' .. first or KEYS[2]
  drop(redis.call('ZRANGE', key, 0, 0)[1])
end
redis.call('ZADD', KEYS[2], at, ARGV[1])
redis.call('HSET', prefix .. 'report:' .. ARGV[1], 'bot', ARGV[2], 'reason', ARGV[3], 'text', ARGV[4], 'at', at, 'client', client)
redis.call('ZADD', ofOne, at, ARGV[1])
redis.call('ZADD', by, at, ARGV[1])
redis.call('ZINCRBY', reporters, 1, client)
return 'kept'
