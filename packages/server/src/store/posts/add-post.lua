#!lua
-- Adds a post to the feed, once per status, while submissions are open.
--
-- KEYS  1 state  2 statuses  3 post:<id>  4 posts  5 changes
-- ARGV  1 post id  2 status id  3 url  4 version of the blocks that it was checked against
--       5 mark of the client, or ''
-- Returns  {'exists', id, url}  of the post that is there, listed or not
--          {'closed'}    submissions are closed
--          {'outdated'}  the blocks have changed: check it again
--          {'added', id, url}
-- @include next-change
-- @include types
-- @include prefix
-- @include submissions

local existing = redis.call('HGET', KEYS[2], ARGV[2])
if existing then
  return { 'exists', existing, redis.call('HGET', prefix .. 'post:' .. existing, 'url') }
end
local refusal = refusalOfSubmission(KEYS[1], ARGV[4])
if refusal then
  return { refusal }
end
local version, at, state = nextChange(KEYS[1])
expectType('hash', { KEYS[3] })
expectType('zset', { KEYS[4], KEYS[5] })
recordVersion(version)
redis.call('ZADD', KEYS[5], version, ARGV[1])
redis.call('ZADD', KEYS[4], version, ARGV[1])
redis.call('HSET', KEYS[1], 'urgent', version, unpack(state))
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[3], 'id', ARGV[1], 'url', ARGV[3], 'status_id', ARGV[2], 'changed_at', at)
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[3], 'client', ARGV[5])
end
return { 'added', ARGV[1], ARGV[3] }
