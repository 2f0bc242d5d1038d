-- Reads the state of one partition of webhooks, for the metrics.
--
-- KEYS  1 cursor  2 yielded  3 leased  4 waiting  5 stopped  6 taken  7 failures
-- Returns  {idle, yielded, leased, waiting, stopped, lowest cursor, highest cursor, how many have the highest}
--          The lowest is of those that are active and not failing: idle, leased, and the thousand of the yielded that
--          were served longest ago. No cursor at all: ''.

local function edge(from)
  return redis.call('ZRANGE', KEYS[1], from, from, 'WITHSCORES')[2]
end

local lowest = edge(0)
local highest = edge(-1)

local function lookAt(ids)
  for i = 1, #ids, 1000 do
    local part = { unpack(ids, i, math.min(i + 999, #ids)) }
    local numbers = redis.call('HMGET', KEYS[6], unpack(part))
    local failed = redis.call('HMGET', KEYS[7], unpack(part))
    for j = 1, #part do
      local number = numbers[j] and not failed[j] and string.match(numbers[j], '^%d+')
      if number and (not lowest or tonumber(number) < tonumber(lowest)) then
        lowest = number
      end
    end
  end
end

local leases = redis.call('ZRANGE', KEYS[3], 0, -1)
lookAt(leases)
lookAt(redis.call('ZRANGE', KEYS[2], 0, 999))
return {
  redis.call('ZCARD', KEYS[1]),
  redis.call('ZCARD', KEYS[2]),
  #leases,
  redis.call('ZCARD', KEYS[4]),
  redis.call('SCARD', KEYS[5]),
  lowest or '',
  highest or '',
  highest and redis.call('ZCOUNT', KEYS[1], highest, highest) or 0,
}
