#!lua
-- Records what an operator does with the whole store. The end of an import makes the store whole in the same step.
--
-- KEYS  1 state  2 audit or backups
-- ARGV  1 how far ahead of the store's clock it is now (ms)  2 most lines of the log  3, 4 the operator, and the
--       command's words  5 action  6 count

-- A key of the wrong type fails here, when it is read: a script cannot roll back after its first write.
redis.call('HLEN', KEYS[1])
redis.call('XLEN', KEYS[2])

local time = redis.call('TIME')
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*',
  'at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]),
  'by', ARGV[3], 'action', ARGV[5], 'reason', '', 'command', ARGV[4], 'count', ARGV[6], 'bots', '')
if ARGV[5] == 'import' then
  redis.call('HDEL', KEYS[1], 'import')
end
