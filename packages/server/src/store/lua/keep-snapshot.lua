#!lua
-- Puts a finished snapshot in its place, unless an operator has taken something away since it was begun.
--
-- KEYS  1 state  2 the snapshot  3 its place
-- ARGV  1 the version that it was begun with

if tonumber(redis.call('HGET', KEYS[1], 'taken_away') or '0') > tonumber(ARGV[1]) then
  redis.call('UNLINK', KEYS[2])
else
  redis.call('RENAME', KEYS[2], KEYS[3])
  redis.call('PERSIST', KEYS[3])
end
