-- Publishes a bot: its hash, its place in the list, its uniqueness and its bot.created event, or nothing at all.
--
-- KEYS  1 state  2 templates  3 slugs  4 suffixes  5 bot:<id>  6 bots  7 changes  8 events  9 event-ids
-- ARGV  1 bot id  2 template id  3 wanted slug  4 epoch, if there is none yet
--       5 event id  6 event type  7, 8, 9 the envelope, cut where the slug goes
--       10 … fields and values of the bot's hash, without its slug
-- Returns  {'exists', slug}  the template is in the directory, as that slug
--          {'published', slug}

local taken = redis.call('HGET', KEYS[2], ARGV[2])
if taken then
  return { 'exists', taken }
end

local slug = ARGV[3]
if redis.call('HEXISTS', KEYS[3], slug) == 1 then
  local suffix = tonumber(redis.call('HGET', KEYS[4], slug) or '2')
  while redis.call('HEXISTS', KEYS[3], ARGV[3] .. '-' .. suffix) == 1 do
    suffix = suffix + 1
  end
  redis.call('HSET', KEYS[4], ARGV[3], suffix + 1)
  slug = ARGV[3] .. '-' .. suffix
end

redis.call('HSETNX', KEYS[1], 'epoch', ARGV[4])
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[1], 'urgent', version)
redis.call('HSET', KEYS[5], 'slug', slug, unpack(ARGV, 10))
redis.call('HSET', KEYS[2], ARGV[2], slug)
redis.call('HSET', KEYS[3], slug, ARGV[1])
redis.call('ZADD', KEYS[6], version, ARGV[1])
redis.call('ZADD', KEYS[7], version, ARGV[1])

local number = redis.call('HINCRBY', KEYS[1], 'events', 1)
local envelope = ARGV[7] .. slug .. ARGV[8] .. slug .. ARGV[9]
redis.call('XADD', KEYS[8], number .. '-0', 'id', ARGV[5], 'type', ARGV[6], 'body', envelope)
redis.call('ZADD', KEYS[9], number, ARGV[5])
return { 'published', slug }
