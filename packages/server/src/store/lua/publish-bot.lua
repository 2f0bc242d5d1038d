#!lua
-- Publishes a bot: its hash, its position in the list, its uniqueness and its bot.created event, or nothing at all. A
-- bot that waits for approval gets neither position nor event.
--
-- KEYS  1 state  2 templates  3 slugs  4 suffixes  5 bot:<id>  6 bots  7 changes  8 events  9 event-ids
--       10 withdrawn
-- ARGV  1 highest version that the caller knows  2 an epoch, if one is needed  3 offset of the clock (ms)
--       4 bot id  5 template id  6 wanted slug
--       7 event id  8 event type  9 the envelope  10, 11 its placeholders for the slug and for the time
--       12 version of the blocks that the draft was checked against  13 1 when it waits for approval
--       14 … fields and values of the bot's hash, without its slug and its times
-- Returns  {'exists', slug}  the template is in the directory, as that slug
--          {'closed'}        submissions are closed
--          {'outdated'}      the blocks have changed: check the draft again
--          {'published', slug}
-- @include lineage
-- @include next-change
-- @include timestamp

local taken = redis.call('HGET', KEYS[2], ARGV[5])
if taken then
  return { 'exists', taken }
end

local submissions, blocks = unpack(redis.call('HMGET', KEYS[1], 'submissions', 'blocks'))
if submissions == 'off' then
  return { 'closed' }
elseif (blocks or '0') ~= ARGV[12] then
  return { 'outdated' }
end

local slug, suffix = ARGV[6], nil
if redis.call('HEXISTS', KEYS[3], slug) == 1 then
  suffix = tonumber(redis.call('HGET', KEYS[4], slug) or '2')
  while redis.call('HEXISTS', KEYS[3], ARGV[6] .. '-' .. suffix) == 1 do
    suffix = suffix + 1
  end
  slug = ARGV[6] .. '-' .. suffix
end

local version, at, state = nextChange(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
local envelope = string.gsub(string.gsub(ARGV[9], ARGV[10], slug), ARGV[11], timestamp(tonumber(at)))

-- Everything that can fail comes first, because a script cannot roll back after its first write: a key of the wrong
-- type fails when it is read, and the log refuses a number below its last.
redis.call('HLEN', KEYS[4])
redis.call('HLEN', KEYS[5])
for i = 6, 7 do
  redis.call('ZCARD', KEYS[i])
end
redis.call('ZCARD', KEYS[9])
redis.call('ZCARD', KEYS[10])
local isPending = ARGV[13] == '1'
if not isPending then
  redis.call('XADD', KEYS[8], version .. '-0', 'id', ARGV[7], 'type', ARGV[8], 'at', at, 'body', envelope)
  redis.call('HSET', KEYS[1], 'urgent', version, 'events', version, 'announced', version)
end

redis.call('HSET', KEYS[1], unpack(state))
redis.call('HSET', KEYS[5], 'slug', slug, 'created_at', at, 'changed_at', at, unpack(ARGV, 14))
redis.call('HSET', KEYS[5], isPending and 'state' or 'event', isPending and 'pending' or version)
redis.call('HSET', KEYS[2], ARGV[5], slug)
redis.call('HSET', KEYS[3], slug, ARGV[4])
if suffix then
  redis.call('HSET', KEYS[4], ARGV[6], suffix + 1)
end
redis.call('ZADD', isPending and KEYS[10] or KEYS[6], version, ARGV[4])
redis.call('ZADD', KEYS[7], version, ARGV[4])
if not isPending then
  redis.call('ZADD', KEYS[9], version, ARGV[7])
end
return { 'published', slug }
