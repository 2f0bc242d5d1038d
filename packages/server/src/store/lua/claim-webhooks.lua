-- Leases webhooks that have something to be sent: those whose lease ran out or whose wait is over, at most half, and
-- those that are behind, the furthest behind first. A lease's token is the time it runs out: a later one ends later.
--
-- KEYS  1 cursor  2 leased  3 waiting   (all of one partition)
-- ARGV  1 now (ms)  2 number of the last event  3 most to lease  4 when the leases run out (ms)
--       5 prefix of webhook:<id> (same slot)
-- Returns  {more, due, {{id, url, cursor, failures}, …}}
--          more  1 when there may be others to lease now
--          due   when the next lease or wait runs out (ms), or ''

local now, head, free, untilMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local claimed, leases, more = {}, {}, 0

local function claim(id, cursor)
  local key = ARGV[5] .. id
  local webhook = redis.call('HMGET', key, 'url', 'cursor', 'failures')
  if not webhook[1] then
    return
  end
  if cursor then
    redis.call('HSET', key, 'cursor', cursor)
  end
  claimed[#claimed + 1] = { id, webhook[1], cursor or webhook[2], webhook[3] or '0' }
  leases[#leases + 1] = untilMs
  leases[#leases + 1] = id
end

local share = math.ceil(free / 2)
for _, key in ipairs({ KEYS[2], KEYS[3] }) do
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, share)
  for _, id in ipairs(due) do
    claim(id)
  end
  if #due > 0 then
    redis.call('ZREM', key, unpack(due))
  end
  share = share - #due
end
if share <= 0 then
  more = 1
end

local room = free - #claimed
if room > 0 then
  local behind = math.min(room, redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. head))
  if behind > 0 then
    local popped = redis.call('ZPOPMIN', KEYS[1], behind)
    for i = 1, #popped, 2 do
      claim(popped[i], popped[i + 1])
    end
  end
end
if #leases > 0 then
  redis.call('ZADD', KEYS[2], unpack(leases))
end
if #claimed >= free then
  more = 1
end

local due = ''
for _, key in ipairs({ KEYS[2], KEYS[3] }) do
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  if first and (due == '' or tonumber(first) < tonumber(due)) then
    due = first
  end
end
return { more, due, claimed }
