#!lua
-- Saves a report of a bot or a post. What its client has said of it for the same reason is the same report, to which
-- the text is added while there is room. If the client has too many reports, its oldest is deleted; if there are too
-- many in all, the oldest of the client with the most.
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
local reports = redis.call('HKEYS', KEYS[2])

--- The client's reports, and its oldest: ids begin with their time.
local function reportsBy(sender)
  local count, oldest = 0, nil
  for _, report in ipairs(reports) do
    if string.find(report, ' ' .. sender .. ' ', 1, true) then
      count = count + 1
      oldest = (oldest and oldest < report) and oldest or report
    end
  end
  return count, oldest
end

--- The client that has the most reports.
local function clientWithMost()
  local counts, most = {}, nil
  for _, report in ipairs(reports) do
    local sender = string.match(report, '^%S+ %S+ (%S*) ')
    counts[sender] = (counts[sender] or 0) + 1
    most = (most and counts[most] >= counts[sender]) and most or sender
  end
  return most
end

--- Adds the text to what was said before, unless that has it already.
local function added(said)
  if said == '' or string.find(said, text, 1, true) then
    return said == '' and text or said
  end
  return said .. ' | ' .. text
end

for _, report in ipairs(reports) do
  if string.sub(report, -#same) == same then
    local whole = added(string.match(redis.call('HGET', KEYS[2], report), '^%d+ (.*)$') or '')
    if #whole <= tonumber(ARGV[7]) then
      redis.call('HSET', KEYS[2], report, at .. ' ' .. whole)
      return string.match(report, '^%S+')
    end
  end
end

local count, oldest = reportsBy(client)
if count < tonumber(ARGV[5]) then
  oldest = nil
  if #reports >= tonumber(ARGV[6]) then
    count, oldest = reportsBy(clientWithMost())
  end
end
if oldest then
  redis.call('HDEL', KEYS[2], oldest)
  redis.call('HINCRBY', KEYS[3], 'dropped_reports', 1)
end
redis.call('HSET', KEYS[2], ARGV[1] .. same, at .. ' ' .. text)
return ARGV[1]
