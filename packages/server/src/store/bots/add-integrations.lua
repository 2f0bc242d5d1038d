#!lua
-- Merges integrations into a bot, all of them or none.
--
-- KEYS  1 state  2 bot:<id>  3 changes
-- ARGV  1 bot id  2 most that a bot may have  3 … integration slugs
-- Returns  {'missing'}         or hidden, or waiting for approval
--          {'removed', reason}
--          {'too_many'}         nothing was added
--          {'merged', slugs}    joined by commas
-- @include next-change
-- @include types

local stored, botState, reason = unpack(redis.call('HMGET', KEYS[2], 'integrations', 'state', 'reason'))
if botState == 'removed' then
  return { 'removed', reason }
elseif botState or not stored then
  return { 'missing' }
end

local merged, has = {}, {}
for slug in string.gmatch(stored, '[^,]+') do
  merged[#merged + 1] = slug
  has[slug] = true
end
local before = #merged
for i = 3, #ARGV do
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
  local version, at, state = nextChange(KEYS[1])
  expectType('zset', { KEYS[3] })
  recordVersion(version)
  redis.call('ZADD', KEYS[3], version, ARGV[1])
  redis.call('HSET', KEYS[1], 'urgent', version, unpack(state))
  redis.call('HSET', KEYS[2], 'integrations', joined, 'changed_at', at, 'updated_at', at)
end
return { 'merged', joined }
