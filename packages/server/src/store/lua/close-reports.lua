#!lua
-- Closes the reports of bots and posts, with one line in the audit log.
--
-- KEYS  1 reports  2 audit
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 prefix of report:<id> and
--       reports-of:<id> (same slot)  5 … for each bot or post: its id, its name
-- Returns  how many there were
-- @include clock
-- @include audit
-- @include types
-- @include drop-reports

expectType('zset', { KEYS[1] })
expectType('stream', { KEYS[2] })
for i = 5, #ARGV, 2 do
  expectType('zset', { ARGV[4] .. 'reports-of:' .. ARGV[i] })
end

local count, slugs = 0, {}
for i = 5, #ARGV, 2 do
  local dropped = dropReports(KEYS[1], ARGV[4], ARGV[i])
  if dropped > 0 then
    count, slugs[#slugs + 1] = count + dropped, ARGV[i + 1]
  end
end
if count > 0 then
  addAuditLine(KEYS[2], { at = string.format('%.0f', serverMs()), action = 'close-reports', count = count, bots = slugs })
end
return count
