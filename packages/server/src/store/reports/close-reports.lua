#!lua flags=allow-oom
-- Closes reports, with one line in the audit log.
--
-- KEYS  1 reports  2 audit
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words
--       4 names of their bots and posts, joined by commas  5 … the reports, by their fields
-- Returns  how many there were
-- @include clock
-- @include audit
-- @include types

expectType('hash', { KEYS[1] })
expectType('stream', { KEYS[2] })

local count = 0
for i = 5, #ARGV do
  count = count + redis.call('HDEL', KEYS[1], ARGV[i])
end
if count > 0 then
  local at = string.format('%.0f', serverMs())
  addAuditLine(KEYS[2], { at = at, action = 'close-reports', count = count, bots = { ARGV[4] } })
end
return count
