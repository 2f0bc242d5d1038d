#!lua flags=no-writes
-- Reads bots or posts by their ids; callers ask for few at a time, so that nobody else waits for long. The reply is one
-- JSON text, which a reader parses several times as fast as thousands of small replies.
--
-- KEYS  1 changes
-- ARGV  1 prefix of bot:<id> and post:<id> (same slot)  2 number of fields  3 … fields of the hashes, then ids
-- Returns  [[version of its last change, [value of each field, or false], …]

local fields = { unpack(ARGV, 3, 2 + ARGV[2]) }
local entries = {}
for i = 3 + ARGV[2], #ARGV do
  local key = ARGV[1] .. string.match(ARGV[i], '^%a+') .. ':' .. ARGV[i]
  entries[#entries + 1] = { redis.call('ZSCORE', KEYS[1], ARGV[i]) or '0', redis.call('HMGET', key, unpack(fields)) }
end
return cjson.encode(entries)
