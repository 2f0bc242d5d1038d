-- Leases webhooks that have something to be sent: those whose lease ran out or whose wait is over, at most half, and
-- those that are behind, the furthest behind first. A lease's token is the time it runs out: a later one ends later.
--
-- KEYS  1 cursor  2 leased  3 waiting  4 targets  5 taken  6 failures  7 secrets   (all of one partition)
-- ARGV  1 now (ms)  2 number of the last event  3 most to lease  4 when the leases run out (ms)
-- Returns  {more, due, ids, urls, cursors, failures, secrets}
--          more      1 when there may be others to lease now
--          due       when the next lease or wait runs out (ms), or ''
--          ids …     one element for each lease; failures and secrets as they are stored, or false

local now, head, most, untilMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local ids, more = {}, 0

local share = math.ceil(most / 2)
for _, key in ipairs({ KEYS[2], KEYS[3] }) do
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, share)
  if #due > 0 then
    redis.call('ZREM', key, unpack(due))
  end
  for _, id in ipairs(due) do
    ids[#ids + 1] = id
  end
  share = share - #due
end
if share <= 0 then
  more = 1
end
local cursors = #ids > 0 and redis.call('HMGET', KEYS[5], unpack(ids)) or {}

local behind = math.min(most - #ids, redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. head))
if behind > 0 then
  local popped = redis.call('ZPOPMIN', KEYS[1], behind)
  for i = 1, #popped, 2 do
    ids[#ids + 1] = popped[i]
    cursors[#cursors + 1] = popped[i + 1]
  end
  redis.call('HSET', KEYS[5], unpack(popped))
end
if #ids >= most then
  more = 1
end

local urls, failures, secrets = {}, {}, {}
if #ids > 0 then
  urls = redis.call('HMGET', KEYS[4], unpack(ids))
  failures = redis.call('HMGET', KEYS[6], unpack(ids))
  secrets = redis.call('HMGET', KEYS[7], unpack(ids))
  local leases = {}
  for i, id in ipairs(ids) do
    leases[2 * i - 1], leases[2 * i] = untilMs, id
  end
  redis.call('ZADD', KEYS[2], unpack(leases))
end

local due = ''
for _, key in ipairs({ KEYS[2], KEYS[3] }) do
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  if first and (due == '' or tonumber(first) < tonumber(due)) then
    due = first
  end
end
return { more, due, ids, urls, cursors, failures, secrets }
