#!lua flags=allow-oom
-- Begins another epoch with what the store has, because the operator accepts that the directory is empty or smaller
-- than it was: everything that was known before is void. See `known.ts`.
--
-- KEYS  1 state  2 audit
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 identifies the acceptance
--       5 how many bots and posts the store has
-- @include next-change
-- @include audit
-- @include types

expectType('stream', { KEYS[2] })
local version = redis.call('HGET', KEYS[1], 'version')
caller.highest = version and math.max(caller.highest, tonumber(version) + 1) or 0
local first, at, state = nextChange(KEYS[1])
recordVersion(first)
redis.call('HSET', KEYS[1], 'acceptance', ARGV[4], unpack(state))
addAuditLine(KEYS[2], { at = at, action = 'accept-empty', count = ARGV[5] })
