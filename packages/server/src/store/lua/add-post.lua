#!lua
-- Adds a post to the feed, once per status.
--
-- KEYS  1 state  2 statuses  3 post:<id>  4 posts  5 changes
-- ARGV  1 highest version that the caller knows  2 an epoch, if one is needed  3 offset of the clock (ms)
--       4 post id  5 status id  6 url  7 prefix of post:<id> (same slot)
-- Returns  {'exists', id, url}  of the post that is there
--          {'added', id, url}
-- @include lineage
-- @include next-change

local taken = redis.call('HGET', KEYS[2], ARGV[5])
if taken then
  return { 'exists', taken, redis.call('HGET', ARGV[7] .. taken, 'url') }
end
local version, at, state = nextChange(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
-- Everything that can fail comes first: a key of the wrong type fails when it is read.
redis.call('HLEN', KEYS[3])
redis.call('ZCARD', KEYS[4])
redis.call('ZADD', KEYS[5], version, ARGV[4])
redis.call('ZADD', KEYS[4], version, ARGV[4])
redis.call('HSET', KEYS[1], 'urgent', version, unpack(state))
redis.call('HSET', KEYS[2], ARGV[5], ARGV[4])
redis.call('HSET', KEYS[3], 'id', ARGV[4], 'url', ARGV[6], 'status_id', ARGV[5], 'changed_at', at)
return { 'added', ARGV[4], ARGV[6] }
