#!lua flags=allow-oom
-- Deletes events that are too old by the store's clock, up to the last that every active webhook has; and, at any age,
-- the oldest of too many. At most a page of them.
--
-- KEYS  1 events  2 event-ids
-- ARGV  1 how long events are kept (ms)  2 most to look at  3 most events that are kept
--       4 the last event that may be deleted for its age
-- Returns  1 when there may be more to forget, else 0
-- @include clock

local before, mayGo = serverMs() - tonumber(ARGV[1]), tonumber(ARGV[4])
local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[2])
local last, old = nil, 0
for i, entry in ipairs(entries) do
  local fields = entry[2]
  for at = 1, #fields, 2 do
    if fields[at] == 'at' and tonumber(fields[at + 1]) < before then
      local number = string.match(entry[1], '^%d+')
      if tonumber(number) <= mayGo then
        last, old = number, i
      end
    end
  end
end
local excess = math.min(redis.call('XLEN', KEYS[1]) - tonumber(ARGV[3]), #entries)
if excess > old then
  last, old = string.match(entries[excess][1], '^%d+'), excess
end
if last then
  redis.call('XTRIM', KEYS[1], 'MINID', string.format('%.0f', tonumber(last) + 1))
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', last)
end
return old == tonumber(ARGV[2]) and 1 or 0
