#!lua
-- Closes the reports of bots, with one line in the audit log.
--
-- KEYS  1 reports  2 audit
-- ARGV  1 prefix of report:<id> and reports-of:<bot id> (same slot)  2 how far ahead of the store's clock it is now
--       (ms)  3 most lines of the audit log  4, 5 the operator, and the command's words
--       6 … for each bot: its id, its slug
-- Returns  how many there were

-- A key of the wrong type fails here, when it is read: a script cannot roll back after its first write.
redis.call('ZCARD', KEYS[1])
redis.call('XLEN', KEYS[2])
for i = 6, #ARGV, 2 do
  redis.call('ZCARD', ARGV[1] .. 'reports-of:' .. ARGV[i])
end

local count, slugs = 0, {}
for i = 6, #ARGV, 2 do
  local ofBot = ARGV[1] .. 'reports-of:' .. ARGV[i]
  local ids = redis.call('ZRANGE', ofBot, 0, -1)
  for _, id in ipairs(ids) do
    redis.call('DEL', ARGV[1] .. 'report:' .. id)
    redis.call('ZREM', KEYS[1], id)
  end
  if #ids > 0 then
    redis.call('DEL', ofBot)
    count, slugs[#slugs + 1] = count + #ids, ARGV[i + 1]
  end
end
if count > 0 then
  local time = redis.call('TIME')
  redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], '*',
    'at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]),
    'by', ARGV[4], 'action', 'close-reports', 'reason', '', 'command', ARGV[5], 'count', count,
    'bots', table.concat(slugs, ','))
end
return count
