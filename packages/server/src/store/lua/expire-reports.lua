#!lua flags=allow-oom
-- Deletes reports that are too old, at most a page of them.
--
-- KEYS  1 reports
-- ARGV  1 how long reports are kept (ms)  2 most to delete
-- Returns  how many there were
-- @include clock
-- @include drop-reports

local before = string.format('%.0f', serverMs() - tonumber(ARGV[1]))
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', before, 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  dropReport(KEYS[1], id)
end
return #ids
