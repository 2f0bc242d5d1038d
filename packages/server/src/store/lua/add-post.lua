-- Adds a post to the feed, once per status.
--
-- KEYS  1 state  2 statuses  3 post:<id>  4 posts  5 changes
-- ARGV  1 post id  2 status id  3 url  4 now (ms)  5 epoch, if there is none yet
--       6 prefix of post:<id> (same slot)
-- Returns  {'exists', id, url}  of the post that is there
--          {'added', id, url}

local taken = redis.call('HGET', KEYS[2], ARGV[2])
if taken then
  return { 'exists', taken, redis.call('HGET', ARGV[6] .. taken, 'url') }
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
redis.call('HSETNX', KEYS[1], 'epoch', ARGV[5])
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[1], 'urgent', version)
redis.call('HSET', KEYS[3], 'id', ARGV[1], 'url', ARGV[3], 'status_id', ARGV[2], 'changed_at', ARGV[4])
redis.call('ZADD', KEYS[4], version, ARGV[1])
redis.call('ZADD', KEYS[5], version, ARGV[1])
return { 'added', ARGV[1], ARGV[3] }
