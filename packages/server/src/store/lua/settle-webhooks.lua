-- Writes down what came of leases. A lease that was lost, or whose webhook was removed, settles to nothing.
--
-- KEYS  1 cursor  2 leased  3 waiting   (all of one partition)
-- ARGV  1 prefix of webhook:<id> (same slot), then for each lease seven values:
--       id, token, step, cursor, failures, time (ms), category of the failure ('none': failures are over; '': as before)
--         advance  it has the events up to cursor, and nothing is left to send now
--         keep     it has the events up to cursor, and more follow; the lease runs until `time`
--         wait     it is tried again at `time`
--         stop     it is not called again
-- Returns  for each lease, in order, 1, or 0 when it was lost

local settled, idle, released = {}, {}, {}
for i = 2, #ARGV, 7 do
  local id, step, key = ARGV[i], ARGV[i + 2], ARGV[1] .. ARGV[i]
  local token = redis.call('ZSCORE', KEYS[2], id)
  if token and tonumber(token) == tonumber(ARGV[i + 1]) then
    settled[#settled + 1] = 1
    if ARGV[i + 6] == 'none' then
      redis.call('HSET', key, 'failures', '0')
      redis.call('HDEL', key, 'last_failure')
    end
    if step == 'keep' then
      redis.call('ZADD', KEYS[2], ARGV[i + 5], id)
      redis.call('HSET', key, 'cursor', ARGV[i + 3])
    else
      released[#released + 1] = id
      if step == 'advance' then
        idle[#idle + 1] = ARGV[i + 3]
        idle[#idle + 1] = id
      else
        redis.call('HSET', key, 'cursor', ARGV[i + 3], 'failures', ARGV[i + 4], 'last_failure', ARGV[i + 6])
        if step == 'stop' then
          redis.call('HSET', key, 'state', 'stopped')
        else
          redis.call('ZADD', KEYS[3], ARGV[i + 5], id)
        end
      end
    end
  else
    settled[#settled + 1] = 0
  end
end
if #released > 0 then
  redis.call('ZREM', KEYS[2], unpack(released))
end
if #idle > 0 then
  redis.call('ZADD', KEYS[1], unpack(idle))
end
return settled
