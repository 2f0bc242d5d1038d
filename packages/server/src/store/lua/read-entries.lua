#!lua flags=no-writes
-- Reads bots or posts by their ids; callers ask for few at a time, so that nobody else waits for long. The reply is one
-- JSON text, which a reader parses several times as fast as thousands of small replies.
--
-- KEYS  1 changes
-- ARGV  1 prefix of bot:<id> and post:<id> (same slot)  2 … ids
-- Returns  [[version of its last change, hash as a flat list], …]; of one that is gone the hash is {}

local entries = {}
for i = 2, #ARGV do
  local key = ARGV[1] .. string.match(ARGV[i], '^%a+') .. ':' .. ARGV[i]
  entries[i - 1] = { redis.call('ZSCORE', KEYS[1], ARGV[i]) or '0', redis.call('HGETALL', key) }
end
return cjson.encode(entries)
