#!lua flags=no-writes
-- Finds the number after which a reader with this last event continues. A recent event that is not in the log was lost
-- in a rewind: its reader continues from a while before the time in its id, and misses nothing.
--
-- KEYS  1 event-ids
-- ARGV  1 event id  2 when it was made (ms)  3 an id of that time less `slack`; ids sort by their times
--       4 slack (ms)  5 how long events are kept (ms)
-- Returns  the number, or '' when the log cannot tell what came after the event
-- @include clock

local number = redis.call('ZSCORE', KEYS[1], ARGV[1])
if number then
  return number
end
local age, slack = serverMs() - tonumber(ARGV[2]), tonumber(ARGV[4])
if age < -slack or age > tonumber(ARGV[5]) - slack then
  return ''
end

-- Binary search: ids are in the order of their times, with differences of less than `slack`.
local low, high = 0, redis.call('ZCARD', KEYS[1])
while low < high do
  local middle = math.floor((low + high) / 2)
  if redis.call('ZRANGE', KEYS[1], middle, middle)[1] < ARGV[3] then
    low = middle + 1
  else
    high = middle
  end
end
return low == 0 and '0' or redis.call('ZRANGE', KEYS[1], low - 1, low - 1, 'WITHSCORES')[2]
