#!lua
-- Closes the reports of a bot, with a line in the audit log.
--
-- KEYS  1 reports-of:<bot id>  2 reports  3 audit
-- ARGV  1 prefix of report:<id> (same slot)  2 how far ahead of the store's clock it is now (ms)
--       3 most lines of the audit log  4, 5 the operator, and the command's words  6 slug of the bot
-- Returns  how many there were

-- A key of the wrong type fails here, when it is read: a script cannot roll back after its first write.
redis.call('ZCARD', KEYS[2])
redis.call('XLEN', KEYS[3])
local ids = redis.call('ZRANGE', KEYS[1], 0, -1)
if #ids == 0 then
  return 0
end
for _, id in ipairs(ids) do
  redis.call('DEL', ARGV[1] .. 'report:' .. id)
  redis.call('ZREM', KEYS[2], id)
end
redis.call('DEL', KEYS[1])
local time = redis.call('TIME')
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[3], '*',
  'at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]),
  'by', ARGV[4], 'action', 'close-reports', 'reason', '', 'command', ARGV[5], 'count', #ids, 'bots', ARGV[6])
return #ids
