#!lua flags=no-writes
-- Reads bots or posts by their ids; callers ask for few at a time, so that nobody else waits for long. The reply is one
-- JSON text, which a reader parses several times as fast as thousands of small replies.
--
-- KEYS  1 changes
-- ARGV  1 number of fields  2 … fields of the hashes, then ids
-- Returns  [[version of its last change, [value of each field, or false], …]
-- @include prefix

local fields = { unpack(ARGV, 2, 1 + ARGV[1]) }
local entries = {}
for i = 2 + ARGV[1], #ARGV do
  local key = prefix .. string.match(ARGV[i], '^%a+') .. ':' .. ARGV[i]
  entries[#entries + 1] = { redis.call('ZSCORE', KEYS[1], ARGV[i]) or '0', redis.call('HMGET', key, unpack(fields)) }
end
return cjson.encode(entries)
