#!lua
-- Counts a write of a client, in the window that begins with its first. One that would last longer than a window began
-- under a clock that was ahead, or a longer limit: it is over.
--
-- KEYS  1 the client's count
-- ARGV  1 the window (ms)
-- Returns  { writes in the window, what is left of it (ms) }

local left = redis.call('PTTL', KEYS[1])
if left <= 0 or left > tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
  return { 1, tonumber(ARGV[1]) }
end
return { redis.call('INCR', KEYS[1]), left }
