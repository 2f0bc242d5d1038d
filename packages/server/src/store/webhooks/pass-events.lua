#!lua flags=allow-oom
-- Passes events for the webhooks that are asleep, and wakes those that may want one. It examines no others, however
-- many there are. First it puts to sleep those that have all events so far.
--
-- On balance it frees as much memory as it takes, so it may run when the store is full.
--
-- KEYS  1 own-cursor  2 asleep  3 topics  4 watermark   (all of one partition)
-- ARGV  1 number of the event up to which the caller knows events to be passed  2 that of the last event to pass
--       3 most webhooks to put to sleep  4 … the topics of all events in between; one that ends in a space is every
--       topic that begins so
-- Returns  {watermark, asleep, idle, behind, done}
--          watermark  the number of the event up to which all are passed now
--          asleep  how many webhooks are asleep
--          idle    how many are awake and idle
--          behind  how many of those may lack events
--          done    0 when nothing was passed, because ARGV[1] is outdated or others are to be put to sleep first

local from, to, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
local watermark = redis.call('GET', KEYS[4]) or '0'

local function reply(isDone)
  return {
    watermark,
    redis.call('ZCARD', KEYS[2]),
    redis.call('ZCARD', KEYS[1]),
    redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. watermark),
    isDone and 1 or 0,
  }
end

local function pass(number)
  watermark = number
  redis.call('SET', KEYS[4], number)
end

if redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]) == 0 then
  -- No webhook is idle or asleep, so nothing has to be written.
  watermark = to
  return reply(true)
end

if watermark ~= from then
  -- A webhook that is asleep could miss an event.
  if redis.call('ZCARD', KEYS[2]) > 0 or tonumber(from) < tonumber(watermark) then
    return reply(false)
  end
  pass(from)
end

local idle = redis.call('ZRANGEBYSCORE', KEYS[1], watermark, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #idle, 2 do
  redis.call('ZREM', KEYS[1], idle[i])
  redis.call('ZADD', KEYS[2], idle[i + 1], idle[i])
end
if #idle == 2 * most then
  return reply(false)
end

for i = 4, #ARGV do
  local isBeginning = string.sub(ARGV[i], -1) == ' '
  local from, to = '[' .. ARGV[i] .. (isBeginning and '' or '\n'), '(' .. ARGV[i] .. (isBeginning and '\255' or '\v')
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[3], from, to)) do
    local id = string.match(member, '\n(.*)$')
    local number = redis.call('ZSCORE', KEYS[2], id)
    if number then
      redis.call('ZREM', KEYS[2], id)
      redis.call('ZADD', KEYS[1], math.max(tonumber(number), tonumber(watermark)), id)
    end
  end
end
if to ~= watermark then
  pass(to)
end
return reply(true)
