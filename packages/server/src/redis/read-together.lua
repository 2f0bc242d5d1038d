#!lua flags=no-writes
-- Runs commands that read, at one instant. A full store would refuse them in a transaction.
--
-- KEYS  of each command, all in one slot
-- ARGV  for each command: how many arguments follow its key, its name, and those
-- Returns  {its reply …}

local replies, i = {}, 1
for number, key in ipairs(KEYS) do
  local last = i + 1 + ARGV[i]
  replies[number] = redis.call(ARGV[i + 1], key, unpack(ARGV, i + 2, last))
  i = last + 1
end
return replies
