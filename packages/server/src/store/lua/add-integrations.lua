-- Merges integrations into a bot, all of them or none.
--
-- KEYS  1 state  2 bot:<id>  3 changes
-- ARGV  1 bot id  2 most that a bot may have  3 now (ms)  4 … integration slugs
-- Returns  {'missing'}
--          {'too_many'}         nothing was added
--          {'merged', slugs}    joined by commas

local stored = redis.call('HGET', KEYS[2], 'integrations')
if not stored then
  return { 'missing' }
end

local merged, has = {}, {}
for slug in string.gmatch(stored, '[^,]+') do
  merged[#merged + 1] = slug
  has[slug] = true
end
local before = #merged
for i = 4, #ARGV do
  if not has[ARGV[i]] then
    merged[#merged + 1] = ARGV[i]
    has[ARGV[i]] = true
  end
end

if #merged > before and #merged > tonumber(ARGV[2]) then
  return { 'too_many' }
end
local joined = table.concat(merged, ',')
if #merged > before then
  local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
  redis.call('HSET', KEYS[1], 'urgent', version)
  redis.call('HSET', KEYS[2], 'integrations', joined, 'changed_at', ARGV[3])
  redis.call('ZADD', KEYS[3], version, ARGV[1])
end
return { 'merged', joined }
