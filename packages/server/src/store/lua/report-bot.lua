#!lua
-- Saves a report of a bot or a post. What its client has said of it for the same reason is the same report, to which
-- the text is added while there is room. If the subject has too many reports, or if there are too many in all, the
-- oldest of the client with the most is deleted.
--
-- KEYS  1 bot:<id> or post:<id>  2 reports  3 state
-- ARGV  1 id of a new report  2 id of the bot or post  3 reason  4 text  5 most reports of one  6 most reports
--       7 most bytes of a report's text  8 mark of the client
-- Returns  'missing', 'hidden', 'pending' or 'removed', or the id of the report
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
local id, text, client = ARGV[1], ARGV[4], ARGV[8]
local ofOne, by, reporters = prefix .. 'reports-of:' .. ARGV[2], prefix .. 'reports-by:' .. client, prefix .. 'reporters'

local function drop(other)
  dropReport(KEYS[2], other)
  redis.call('HINCRBY', KEYS[3], 'dropped_reports', 1)
end

--- Adds the text to what was said before, unless that has it already.
local function added(said)
  if said == '' or string.find(said, text, 1, true) then
    return said == '' and text or said
  end
  return said .. ' | ' .. text
end

-- Of the subject: the client's own for this reason, and the oldest of the client that sent most.
local most, mostOf = -1, nil
for _, other in ipairs(redis.call('ZRANGE', ofOne, 0, -1)) do
  local sender, reason, said = unpack(redis.call('HMGET', prefix .. 'report:' .. other, 'client', 'reason', 'text'))
  if sender == client and reason == ARGV[3] and id == ARGV[1] and #added(said) <= tonumber(ARGV[7]) then
    id, text = other, added(said)
  end
  local sent = tonumber(redis.call('ZSCORE', reporters, sender or '') or '0')
  if sent > most then
    most, mostOf = sent, other
  end
end
if id == ARGV[1] then
  if redis.call('ZCARD', ofOne) >= tonumber(ARGV[5]) then
    drop(mostOf)
  end
  if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then
    local first, sent = unpack(redis.call('ZREVRANGE', reporters, 0, 0, 'WITHSCORES'))
    -- Those of earlier releases have no client.
    local key = (sent and tonumber(sent) > 1) and prefix .. 'reports-by:' .. first or KEYS[2]
    drop(redis.call('ZRANGE', key, 0, 0)[1])
  end
  redis.call('ZINCRBY', reporters, 1, client)
end
redis.call('ZADD', KEYS[2], at, id)
redis.call('HSET', prefix .. 'report:' .. id, 'bot', ARGV[2], 'reason', ARGV[3], 'text', text, 'at', at, 'client', client)
redis.call('ZADD', ofOne, at, id)
redis.call('ZADD', by, at, id)
return id
