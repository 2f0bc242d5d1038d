#!lua flags=no-writes
-- Runs commands that read, at one instant. A full store would refuse them in a transaction.
--
-- KEYS  those that are read, all in one slot
-- ARGV  for each command: of how many words it is, and its words
-- Returns  {its reply …}

local replies, i = {}, 1
while i <= #ARGV do
  local words = tonumber(ARGV[i])
  replies[#replies + 1] = redis.call(unpack(ARGV, i + 1, i + words))
  i = i + 1 + words
end
return replies
