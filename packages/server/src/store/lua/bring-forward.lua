#!lua flags=allow-oom
-- Makes due now what is due later than anything can be: the store's clock was ahead when that was written.
--
-- KEYS  1 leased  2 waiting   (both of one partition)
-- ARGV  1 the longest that anything is ever due ahead (ms)
-- Returns  how many
-- @include clock

local now = nowMs()
local due, beyond = string.format('%.0f', now), '(' .. string.format('%.0f', now + ARGV[1])
local count = 0
for _, key in ipairs(KEYS) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, beyond, '+inf')) do
    redis.call('ZADD', key, due, id)
    count = count + 1
  end
end
return count
