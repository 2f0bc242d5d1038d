#!lua
-- Records the result of a reading of a template, and when it is read next if the provider does not have it. A provider
-- that is overloaded is left alone by all processes until `paused_until`.
--
-- KEYS  1 bot:<id>  2 rechecks  3 missing  4 gone
-- ARGV  1 bot id  2 the result, for read_result  3 what it says of the template: found, missing or unknown
--       4, 5 its validators, ETag and Last-Modified, or ''  6 ms until a missing one is read again  7 the most, for one
--       that is gone: read ever more rarely  8 ms to leave the provider alone, or 0  9 the position to go back to,
--       or ''
-- @include clock
-- @include types

local id, now = ARGV[1], serverMs()
expectType('hash', { KEYS[2] })
expectType('zset', { KEYS[3], KEYS[4] })
if tonumber(ARGV[8]) > 0 then
  redis.call('HSET', KEYS[2], 'paused_until', string.format('%.0f', now + ARGV[8]))
  local cursor = redis.call('HGET', KEYS[2], 'cursor')
  if ARGV[9] ~= '' and cursor and tonumber(ARGV[9]) <= tonumber(cursor) then
    redis.call('HSET', KEYS[2], 'cursor', string.format('%.0f', ARGV[9] - 1))
  end
end

local slug, state, goneAt = unpack(redis.call('HMGET', KEYS[1], 'slug', 'state', 'gone_at'))
if not slug then
  return
end
redis.call('HSET', KEYS[1], 'read_result', ARGV[2])
if ARGV[3] == 'found' then
  redis.call('HDEL', KEYS[1], 'missed', 'missed_at', 'etag', 'last_modified')
  redis.call('ZREM', KEYS[3], id)
  for i, name in ipairs({ 'etag', 'last_modified' }) do
    if ARGV[3 + i] ~= '' then
      redis.call('HSET', KEYS[1], name, ARGV[3 + i])
    end
  end
  return
end
local missed = tonumber(redis.call('HGET', KEYS[1], 'missed') or '0')
if ARGV[3] == 'missing' then
  missed = redis.call('HINCRBY', KEYS[1], 'missed', 1)
  redis.call('HSETNX', KEYS[1], 'missed_at', string.format('%.0f', now))
  redis.call('HDEL', KEYS[1], 'etag', 'last_modified')
end
if redis.call('ZSCORE', KEYS[4], id) then
  local waitMs = math.min(math.max(tonumber(ARGV[6]), now - (goneAt or now)), tonumber(ARGV[7]))
  redis.call('ZADD', KEYS[4], string.format('%.0f', now + waitMs), id)
elseif missed > 0 and not state then
  redis.call('ZADD', KEYS[3], string.format('%.0f', now + ARGV[6]), id)
end
