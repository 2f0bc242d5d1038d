#!lua flags=allow-oom
-- Makes leases and waits due now that are due later than they can be: the store's clock was ahead when it set them.
--
-- KEYS  1 leased  2 waiting  3 failures   (of one partition)
-- ARGV  1 the longest that anything is ever due ahead (ms)  2 a random whole number
--       3 … the longest wait after 0, 1, 2, … failures in a row (ms)
-- Returns  how many
-- @include clock

--- How many waits are compared with their failures, from a random one on.
local mostCompared = 2000

local now = serverMs()
local due, beyond = string.format('%.0f', now), '(' .. string.format('%.0f', now + ARGV[1])
local count = 0

local function makeDue(key, id)
  redis.call('ZADD', key, due, id)
  count = count + 1
end

for _, key in ipairs({ KEYS[1], KEYS[2] }) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, beyond, '+inf')) do
    makeDue(key, id)
  end
end

local size = redis.call('ZCARD', KEYS[2])
local first = size > mostCompared and ARGV[2] % size or 0
local waits = redis.call('ZRANGE', KEYS[2], first, first + mostCompared - 1, 'WITHSCORES')
for at = 1, #waits, 2 do
  local failures = tonumber(string.match(redis.call('HGET', KEYS[3], waits[at]) or '', '^%d+')) or 0
  if waits[at + 1] - now > tonumber(ARGV[math.min(3 + failures, #ARGV)]) then
    makeDue(KEYS[2], waits[at])
  end
end
return count
