#!lua
-- Merges integrations into a bot, all of them or none.
--
-- KEYS  1 state  2 bot:<id>  3 changes
-- ARGV  1 bot id  2 most that a bot may have  3 … integration slugs, each with its name as it was
--       written, or ''
-- Returns  {'missing'}         or hidden, or waiting for approval
--          {'removed', reason}
--          {'too_many'}         nothing was added
--          {'merged', slugs}    joined by commas
-- @include next-change
-- @include types

local stored, botState, reason, written =
  unpack(redis.call('HMGET', KEYS[2], 'integrations', 'state', 'reason', 'written'))
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
local names = { (written or '') ~= '' and written or nil }
for i = 3, #ARGV, 2 do
  local slug, name = ARGV[i], ARGV[i + 1]
  if not has[slug] then
    merged[#merged + 1] = slug
    has[slug] = true
    names[#names + 1] = name ~= '' and name or nil
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
  local own = { 'integrations', joined, 'written', table.concat(names, ','), 'changed_at', at, 'updated_at', at }
  redis.call('HSET', KEYS[2], unpack(own))
end
return { 'merged', joined }
