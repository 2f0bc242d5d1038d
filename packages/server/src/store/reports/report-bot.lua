#!lua
-- Saves a report of a bot or a post. What its client has said of it for the same reason is the same report, to which
-- the text is added while there is room. If the client has too many reports, its oldest is deleted; if there are too
-- many in all, the oldest of the client with the most. It reads the names of all: there are few.
--
-- KEYS  1 bot:<id> or post:<id>  2 reports  3 state
-- ARGV  1 id of a new report  2 id of the bot or post  3 reason  4 text  5 most reports of the client  6 most reports
--       7 most bytes of a report's text  8 mark of the client
-- Returns  'missing', 'hidden', 'pending' or 'removed', or the id of the report
-- @include clock
-- @include types

local state = redis.call('HGET', KEYS[1], 'state')
if state then
  return state
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
expectType('hash', { KEYS[2], KEYS[3] })
local at, text, client = string.format('%.0f', serverMs()), ARGV[4], ARGV[8]
local same = string.format(' %s %s %s', ARGV[2], client, ARGV[3])
local total, counts, oldest, most = 0, {}, {}, client

--- Adds the text to what was said before, unless that has it already.
local function added(said)
  if said == '' or string.find(said, text, 1, true) then
    return said == '' and text or said
  end
  return said .. ' | ' .. text
end

for _, report in ipairs(redis.call('HKEYS', KEYS[2])) do
  if string.sub(report, -#same) == same then
    local whole = added(string.match(redis.call('HGET', KEYS[2], report), '^%d+ (.*)$') or '')
    if #whole <= tonumber(ARGV[7]) then
      redis.call('HSET', KEYS[2], report, at .. ' ' .. whole)
      return string.match(report, '^%S+')
    end
  end
  local sender = string.match(report, '^%S+ %S+ (%S*)')
  total, counts[sender] = total + 1, (counts[sender] or 0) + 1
  -- Ids begin with their time.
  if not oldest[sender] or report < oldest[sender] then
    oldest[sender] = report
  end
  if counts[sender] > (counts[most] or 0) then
    most = sender
  end
end

local excess = (counts[client] or 0) >= tonumber(ARGV[5]) and client or total >= tonumber(ARGV[6]) and most
if excess then
  redis.call('HDEL', KEYS[2], oldest[excess])
  redis.call('HINCRBY', KEYS[3], 'dropped_reports', 1)
end
redis.call('HSET', KEYS[2], ARGV[1] .. same, at .. ' ' .. text)
return ARGV[1]
