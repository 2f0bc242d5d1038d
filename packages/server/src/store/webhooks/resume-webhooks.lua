#!lua
-- Resumes stopped webhooks where they stopped, as registering their URLs again would, or counts them.
--
-- KEYS  1 stopped  2 cursor  3 taken  4 failures   (all of one partition)
-- ARGV  1 only those that stopped then (ms) or later  2 only those whose last failure was this, or ''
--       3 '1', or '' to count them only  4 … ids
-- Returns  how many of them match
-- @include types

expectType('set', { KEYS[1] })
expectType('zset', { KEYS[2] })
expectType('hash', { KEYS[3], KEYS[4] })

local since, failure, resumes = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'

local function matches(id)
  local category, at = string.match(redis.call('HGET', KEYS[4], id) or '', '^%d+:([%w_]*):%d+:stopped (%d+)$')
  return at and tonumber(at) >= since and (failure == '' or failure == category)
end

local count = 0
for i = 4, #ARGV do
  local id = ARGV[i]
  if redis.call('SISMEMBER', KEYS[1], id) == 1 and matches(id) then
    count = count + 1
    if resumes then
      redis.call('SREM', KEYS[1], id)
      redis.call('ZADD', KEYS[2], redis.call('HGET', KEYS[3], id), id)
      redis.call('HDEL', KEYS[3], id)
      redis.call('HDEL', KEYS[4], id)
    end
  end
end
return count
