-- Reads, at one instant, what changed after a version. A reader that repeats it from the last version it was given,
-- until fewer than `limit` entries come, holds exactly the directory at the version of the last answer.
--
-- KEYS  1 state  2 changes  3 bots  4 posts
-- ARGV  1 version that the reader has  2 limit  3 prefix of bot:<id> and post:<id> (same slot)
-- Returns  {version, epoch, {{id, version of its change, place in the list, hash as a flat list}, …}}
--          `version` is the store's when the answer is complete, else that of its last entry

local limit = tonumber(ARGV[2])
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local entries = {}
for i = 1, #found, 2 do
  local id = found[i]
  local kind = string.match(id, '^%a+')
  local place = redis.call('ZSCORE', kind == 'bot' and KEYS[3] or KEYS[4], id)
  entries[#entries + 1] = { id, found[i + 1], place, redis.call('HGETALL', ARGV[3] .. kind .. ':' .. id) }
end
local state = redis.call('HMGET', KEYS[1], 'version', 'epoch')
local version = #entries == limit and found[#found] or state[1] or '0'
return { version, state[2] or '', entries }
