-- Reads the state of a webhook at one instant: between two commands it could move from one key to another.
--
-- KEYS  1 urls  2 stopped  3 cursor  4 taken  5 waiting  6 failures  7 skipped   (all of one partition)
-- ARGV  1 url
-- Returns  'missing', or {stopped, cursor, due, failures, skipped}
--          stopped   1, or 0
--          cursor    number of the last event it has
--          due       when it is tried next (ms), or false
--          failures  as they are stored, or false
--          skipped   the same

local id = redis.call('HGET', KEYS[1], ARGV[1])
if not id then
  return 'missing'
end
return {
  redis.call('SISMEMBER', KEYS[2], id),
  redis.call('ZSCORE', KEYS[3], id) or string.match(redis.call('HGET', KEYS[4], id), '^%d+'),
  redis.call('ZSCORE', KEYS[5], id),
  redis.call('HGET', KEYS[6], id),
  redis.call('HGET', KEYS[7], id),
}
