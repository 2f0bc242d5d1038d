#!lua flags=allow-oom
-- Records what an operator does with the whole store or with webhooks. For an import, the same step ends it;
-- for a backup, it notes when the last one exited with 0.
--
-- KEYS  1 state  2 audit or backups
-- ARGV  1 most lines of the log  2, 3 the operator, and the command's words  4 action  5 count
-- @include clock
-- @include audit
-- @include types

expectType('hash', { KEYS[1] })
expectType('stream', { KEYS[2] })

local at = string.format('%.0f', serverMs())
addAuditLine(KEYS[2], { at = at, action = ARGV[4], count = ARGV[5] })
if ARGV[4] == 'backup' then
  redis.call('HSET', KEYS[1], 'backed_up_at', at)
elseif ARGV[4] == 'import' then
  redis.call('HDEL', KEYS[1], 'import')
end
