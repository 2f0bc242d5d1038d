#!lua flags=no-writes
-- Finds the webhook of one queue that is furthest behind, among all that are active.
--
-- KEYS  1 cursor  2 yielded  3 leased  4 waiting  5 taken  6 asleep and 7 watermark, if its webhooks may sleep
-- Returns  its cursor, or a lower number for those asleep; '' when there is none

local lowest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]

if KEYS[6] and redis.call('ZCARD', KEYS[6]) > 0 then
  local watermark = redis.call('GET', KEYS[7]) or '0'
  if not lowest or tonumber(watermark) < tonumber(lowest) then
    lowest = watermark
  end
end

for from = 2, 4 do
  local ids = redis.call('ZRANGE', KEYS[from], 0, -1)
  for i = 1, #ids, 1000 do
    for _, stored in ipairs(redis.call('HMGET', KEYS[5], unpack(ids, i, math.min(i + 999, #ids)))) do
      local number = stored and string.match(stored, '^%d+')
      if number and (not lowest or tonumber(number) < tonumber(lowest)) then
        lowest = number
      end
    end
  end
end
return lowest or ''
