-- Writes down what came of leases, in groups of those that have all but their id in common. A lease that was lost, or
-- whose webhook was removed, settles to nothing.
--
-- KEYS  1 cursor  2 leased  3 waiting  4 taken  5 failures  6 stopped   (all of one partition)
-- ARGV  for each group: step, token, cursor, time (ms), failures, the ids joined by commas
--         advance  they have the events up to cursor, and nothing is left to send now
--         keep     they have the events up to cursor, and more follow; the lease runs until `time`
--         wait     they are tried again at `time`; `failures` is stored as it is, and '' leaves what is stored
--         stop     they are not called again
-- Returns  for each id, in order, the digit 1, or 0 when its lease was lost

local settled = {}

--- Those of the ids whose lease still has this token.
local function held(joined, token)
  local ids, found = {}, {}
  for id in string.gmatch(joined, '[^,]+') do
    ids[#ids + 1] = id
  end
  for i, score in ipairs(redis.call('ZMSCORE', KEYS[2], unpack(ids))) do
    local holds = score and tonumber(score) == tonumber(token)
    settled[#settled + 1] = holds and 1 or 0
    if holds then
      found[#found + 1] = ids[i]
    end
  end
  return found
end

--- `{ value, id, value, id, … }`, or with `idFirst` the other way round.
local function paired(ids, value, idFirst)
  local pairs = {}
  for i, id in ipairs(ids) do
    pairs[2 * i - 1], pairs[2 * i] = idFirst and id or value, idFirst and value or id
  end
  return unpack(pairs)
end

local function settle(ids, step, cursor, time, failures)
  if step == 'keep' then
    redis.call('ZADD', KEYS[2], paired(ids, time))
  else
    redis.call('ZREM', KEYS[2], unpack(ids))
  end
  if step == 'advance' then
    redis.call('HDEL', KEYS[4], unpack(ids))
    redis.call('ZADD', KEYS[1], paired(ids, cursor))
  else
    redis.call('HSET', KEYS[4], paired(ids, cursor, true))
  end
  if step == 'wait' then
    redis.call('ZADD', KEYS[3], paired(ids, time))
  elseif step == 'stop' then
    redis.call('SADD', KEYS[6], unpack(ids))
  end
  if step == 'advance' or step == 'keep' then
    redis.call('HDEL', KEYS[5], unpack(ids))
  elseif failures ~= '' then
    redis.call('HSET', KEYS[5], paired(ids, failures, true))
  end
end

for at = 1, #ARGV, 6 do
  local step, token, cursor, time, failures, joined = unpack(ARGV, at, at + 5)
  local ids = held(joined, token)
  if #ids > 0 then
    settle(ids, step, cursor, time, failures)
  end
end
return table.concat(settled)
