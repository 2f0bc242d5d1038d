#!lua
-- Stores a secret, unless there is one.
--
-- KEYS  1 state  2 signing-key
-- ARGV  1 'salt' or 'signing-key'  2 the offered one
-- Returns  the one that is stored
-- @include caller

refuseEmptied(redis.call('HGET', KEYS[1], 'version'))
if ARGV[1] == 'salt' then
  redis.call('HSETNX', KEYS[1], 'salt', ARGV[2])
  return redis.call('HGET', KEYS[1], 'salt')
end
redis.call('SET', KEYS[2], ARGV[2], 'NX')
return redis.call('GET', KEYS[2])
