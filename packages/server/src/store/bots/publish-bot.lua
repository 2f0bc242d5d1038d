#!lua
-- Publishes a bot: its hash, its position in the list, its uniqueness and its bot.created event, or nothing at all. A
-- bot that waits for approval gets neither position nor event.
--
-- KEYS  1 state  2 templates  3 slugs  4 suffixes  5 bot:<id>  6 bots  7 changes  8 events  9 event-ids
--       10 withdrawn
-- ARGV  1 bot id  2 template id  3 wanted slug  4 id of the event
--       5 version of the blocks that the draft was checked against  6 1 when it waits for approval
--       7 … fields and values of the bot's hash, without its slug and its times
-- Returns  {'exists', slug}  the template is in the directory, as that slug
--          {'closed'}        submissions are closed
--          {'outdated'}      the blocks have changed: check the draft again
--          {'published', slug}
-- @include next-change
-- @include event
-- @include types
-- @include submissions

local existing = redis.call('HGET', KEYS[2], ARGV[2])
if existing then
  return { 'exists', existing }
end

local refusal = refusalOfSubmission(KEYS[1], ARGV[5])
if refusal then
  return { refusal }
end

local slug, suffix = ARGV[3], nil
if redis.call('HEXISTS', KEYS[3], slug) == 1 then
  suffix = tonumber(redis.call('HGET', KEYS[4], slug) or '2')
  while redis.call('HEXISTS', KEYS[3], ARGV[3] .. '-' .. suffix) == 1 do
    suffix = suffix + 1
  end
  slug = ARGV[3] .. '-' .. suffix
end

local version, at, state = nextChange(KEYS[1])

local isPending = ARGV[6] == '1'
expectType('hash', { KEYS[5], suffix and KEYS[4] })
expectType('zset', { isPending and KEYS[10] or KEYS[6], KEYS[7] })
if isPending then
  recordVersion(version)
  redis.call('HSET', KEYS[1], unpack(state))
else
  local event = { number = version, at = at, id = ARGV[4], type = 'bot.created', bot = ARGV[1] }
  addEvent({ state = KEYS[1], events = KEYS[8], ids = KEYS[9] }, event, state)
end

local place, value = unpack(isPending and { 'state', 'pending' } or { 'event', version })
redis.call('HSET', KEYS[5], 'slug', slug, 'created_at', at, 'changed_at', at, place, value, unpack(ARGV, 7))
redis.call('HSET', KEYS[2], ARGV[2], slug)
redis.call('HSET', KEYS[3], slug, ARGV[1])
if suffix then
  redis.call('HSET', KEYS[4], ARGV[3], suffix + 1)
end
redis.call('ZADD', isPending and KEYS[10] or KEYS[6], version, ARGV[1])
redis.call('ZADD', KEYS[7], version, ARGV[1])
return { 'published', slug }
