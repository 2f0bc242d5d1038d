#!lua flags=no-writes
-- Reads the state of both queues of one partition of webhooks, for the metrics.
--
-- KEYS  1 taken  2 failures  3 asleep  4 watermark  5 cursor  6 yielded  7 leased  8 waiting  9 stopped
--       10 … the last five of the queue of those with a subscription of their own
-- Returns  for each queue {idle, yielded, leased, waiting, stopped, lowest cursor, highest cursor, how many have the
--          highest, asleep}
--          The lowest is of those that are active and not failing: idle, asleep, leased, and the thousand of the yielded
--          that were served longest ago. No cursor at all: ''.

local function lower(one, other)
  return one and (not other or tonumber(one) < tonumber(other)) and one or other
end

local function lowestOf(ids, lowest)
  for i = 1, #ids, 1000 do
    local part = { unpack(ids, i, math.min(i + 999, #ids)) }
    local numbers = redis.call('HMGET', KEYS[1], unpack(part))
    local failed = redis.call('HMGET', KEYS[2], unpack(part))
    for j = 1, #part do
      lowest = lower(numbers[j] and not failed[j] and string.match(numbers[j], '^%d+'), lowest)
    end
  end
  return lowest
end

local function stateOf(first, asleep)
  local cursor, yielded, leased = KEYS[first], KEYS[first + 1], KEYS[first + 2]
  local function edge(from)
    return redis.call('ZRANGE', cursor, from, from, 'WITHSCORES')[2]
  end
  local highest = edge(-1)
  local leases = redis.call('ZRANGE', leased, 0, -1)
  local lowest = lowestOf(leases, edge(0))
  lowest = lowestOf(redis.call('ZRANGE', yielded, 0, 999), lowest)
  if asleep > 0 then
    lowest = lower(redis.call('GET', KEYS[4]) or '0', lowest)
  end
  return {
    redis.call('ZCARD', cursor),
    redis.call('ZCARD', yielded),
    #leases,
    redis.call('ZCARD', KEYS[first + 3]),
    redis.call('SCARD', KEYS[first + 4]),
    lowest or '',
    highest or '',
    highest and redis.call('ZCOUNT', cursor, highest, highest) or 0,
    asleep,
  }
end

return { stateOf(5, 0), stateOf(10, redis.call('ZCARD', KEYS[3])) }
