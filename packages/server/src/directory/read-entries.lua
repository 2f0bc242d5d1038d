#!lua flags=no-writes
-- Reads a page of bots or posts by position, those that are not listed too. Callers ask for few at a time, so that
-- nobody else waits for long. The reply is one JSON text, which a reader parses many times as fast as small replies.
--
-- KEYS  1 list  2 those that are not in it  3 changes
-- ARGV  1 position after which the page begins  2 most entries  3 … fields of the hashes
-- Returns  [[id, position, whether it is listed, version of its last change, [value of each field, or false]], …]
-- @include prefix

local most = tonumber(ARGV[2])
local entries = {}
for i = 1, 2 do
  local found = redis.call('ZRANGEBYSCORE', KEYS[i], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, most)
  for j = 1, #found, 2 do
    entries[#entries + 1] = { found[j], found[j + 1], i == 1 }
  end
end
if entries[1] and entries[1][3] ~= entries[#entries][3] then
  table.sort(entries, function(a, b)
    return tonumber(a[2]) < tonumber(b[2])
  end)
end

local page = {}
for i = 1, math.min(#entries, most) do
  local entry = entries[i]
  local id = entry[1]
  entry[4] = redis.call('ZSCORE', KEYS[3], id) or '0'
  entry[5] = redis.call('HMGET', prefix .. string.match(id, '^%a+') .. ':' .. id, unpack(ARGV, 3))
  page[i] = entry
end
return #page == 0 and '[]' or cjson.encode(page)
