#!lua
-- Claims the next readings of templates, a few at a time: those of bots whose template was missing, when they are due,
-- and those of the next listed bots, so that one pass over all of them takes the given time. Missed
-- readings are not caught up after a long pause.
--
-- KEYS  1 rechecks  2 bots  3 missing  4 gone  5 state
-- ARGV  1 most bots  2 how long a pass takes (ms)  3 seconds between two readings of a template
-- Returns  {ms until the next claim, {{id, position in the list, or '', its hash as a flat list, as it was before}, …}}
-- @include caller
-- @include clock
-- @include types
-- @include prefix

local most, passMs, betweenMs = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] * 1000
local now, claimed = serverMs(), {}
local at = string.format('%.0f', now)
local longestPauseMs = 86400000

expectType('hash', { KEYS[1] })
expectType('zset', { KEYS[2], KEYS[3], KEYS[4] })
refuseEmptied(redis.call('HGET', KEYS[5], 'version'))

local cursor, dueAt, pausedUntil = unpack(redis.call('HMGET', KEYS[1], 'cursor', 'due_at', 'paused_until'))
local pauseMs = tonumber(pausedUntil or '0') - now
-- No pause is set for longer: the clock went back.
if pauseMs > 0 and pauseMs <= longestPauseMs then
  return { string.format('%.0f', pauseMs), {} }
end

--- Claims a bot, unless it was read or published a moment ago.
local function claim(id, position)
  local bot = prefix .. 'bot:' .. id
  local slug, readAt, createdAt = unpack(redis.call('HMGET', bot, 'slug', 'read_at', 'created_at'))
  for _, doneAt in ipairs({ readAt or '0', createdAt or '0' }) do
    -- What happened later than now happened under a clock that was ahead.
    if tonumber(doneAt) <= now and now < tonumber(doneAt) + betweenMs then
      return
    end
  end
  if not slug then
    return
  end
  claimed[#claimed + 1] = { id, position, redis.call('HGETALL', bot) }
  redis.call('HSET', bot, 'read_at', at)
  redis.call('HDEL', bot, 'read_result')
end

--- Claims due bots. Drops those that an operator has moved since.
local function claimDue(key, isConcern)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', at, 'LIMIT', 0, most - #claimed)) do
    if isConcern(unpack(redis.call('HMGET', prefix .. 'bot:' .. id, 'state', 'reason', 'missed', 'gone_at'))) then
      redis.call('ZADD', key, string.format('%.0f', now + betweenMs), id)
      claim(id, '')
    else
      redis.call('ZREM', key, id)
    end
  end
end

claimDue(KEYS[3], function(state, _, missed)
  return not state and missed
end)
claimDue(KEYS[4], function(state, reason, _, goneAt)
  return state == 'hidden' and reason == 'template_gone' and goneAt
end)

local size = redis.call('ZCARD', KEYS[2])
local stepMs = passMs / math.max(size, 1)
-- A pause of the workers or a jump of the clock causes neither a burst nor a gap of more than a step. A delay of up to
-- a minute is caught up.
local due = math.min(math.max(tonumber(dueAt or at), now - math.max((most - 1) * stepMs, 60000)), now + stepMs)
local count = math.min(math.floor((now - due) / stepMs) + 1, most - #claimed)
if size == 0 then
  due = now + stepMs
elseif count > 0 then
  local function following(after)
    return redis.call('ZRANGEBYSCORE', KEYS[2], after, '+inf', 'WITHSCORES', 'LIMIT', 0, count)
  end
  local found = following(cursor and '(' .. cursor or '-inf')
  if #found == 0 then
    found = following('-inf')
  end
  for i = 1, #found, 2 do
    -- One whose template was missing has its own time.
    if not redis.call('ZSCORE', KEYS[3], found[i]) then
      claim(found[i], found[i + 1])
    end
  end
  due = due + #found / 2 * stepMs
  cursor = found[#found]
  redis.call('HSET', KEYS[1], 'cursor', cursor)
end
redis.call('HSET', KEYS[1], 'due_at', string.format('%.3f', due))

local waitMs = due - now
for _, key in ipairs({ KEYS[3], KEYS[4] }) do
  local _, next = unpack(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES'))
  waitMs = math.min(waitMs, tonumber(next or waitMs + now) - now)
end
return { string.format('%.0f', math.max(0, waitMs)), claimed }
