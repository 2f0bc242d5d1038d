#!lua
-- Hides, removes or lists bots: all in one step, with an event for each and one line in the audit log. A bot that is
-- not listed is in `withdrawn`, with the position it comes back to. The envelope that announced it is deleted from the
-- log, so that it is not sent any more.
--
-- KEYS  1 state  2 bots  3 withdrawn  4 changes  5 events  6 event-ids  7 withheld  8 audit  9 reports
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 action  5 reason, or ''
--       6 prefix of bot:<id>, report:<id> and reports-of:<id> (same slot)  7 the state that follows: listed, hidden or
--       removed  8 those from which it may follow, joined by commas
--       9 … for each bot: its id, and its event's id, type, 1 when it is delivered, and envelope
-- Returns  {slugs of the bots that changed}; a bot that is there already, or can't go there, is left out
-- @include next-change
-- @include event
-- @include audit
-- @include types

local reason, prefix, target, sources = ARGV[5], ARGV[6], ARGV[7], ',' .. ARGV[8] .. ','
local first, at, changed = nextChange(KEYS[1])
local moved = {}

expectType('zset', { KEYS[2], KEYS[3], KEYS[4], KEYS[6], KEYS[7], KEYS[9] })
expectType('stream', { KEYS[8] })

local function list(id, bot, version, isNew)
  local position = isNew and version or redis.call('ZSCORE', KEYS[3], id)
  redis.call('HDEL', bot, 'state', 'reason', 'withdrawn_at')
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZADD', KEYS[2], position, id)
  if isNew then
    redis.call('HSET', bot, 'created_at', at, 'event', version)
  end
end

local function takeOutOfLog(number)
  local entry = number .. '-0'
  local found = redis.call('XRANGE', KEYS[5], entry, entry)
  if found[1] then
    redis.call('XDEL', KEYS[5], entry)
    redis.call('ZADD', KEYS[7], number, found[1][2][2])
  end
end

local function dropReports(id)
  for _, report in ipairs(redis.call('ZRANGE', prefix .. 'reports-of:' .. id, 0, -1)) do
    redis.call('DEL', prefix .. 'report:' .. report)
    redis.call('ZREM', KEYS[9], report)
  end
  redis.call('DEL', prefix .. 'reports-of:' .. id)
end

local function withdraw(id, bot, event)
  local position = redis.call('ZSCORE', KEYS[2], id) or redis.call('ZSCORE', KEYS[3], id)
  redis.call('HSET', bot, 'state', target, 'reason', reason, 'withdrawn_at', at)
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZADD', KEYS[3], position, id)
  if event then
    takeOutOfLog(event)
  end
  if target == 'removed' then
    dropReports(id)
  end
end

local function move(id, eventId, eventType, isDelivered, envelope)
  local bot = prefix .. 'bot:' .. id
  local slug, state, event = unpack(redis.call('HMGET', bot, 'slug', 'state', 'event'))
  if not slug or not string.find(sources, ',' .. (state or 'listed') .. ',', 1, true) then
    return nil
  end
  local version = string.format('%.0f', tonumber(first) + #moved)
  addEvent({ state = KEYS[1], events = KEYS[5], ids = KEYS[6], withheld = KEYS[7] }, {
    number = version,
    at = at,
    id = eventId,
    type = eventType,
    isDelivered = isDelivered,
    envelope = envelope,
    withdraws = target ~= 'listed' and event or '',
  }, changed)
  redis.call('HSET', bot, 'changed_at', at, 'updated_at', at)
  if target == 'listed' then
    list(id, bot, version, not event)
  else
    withdraw(id, bot, event)
  end
  redis.call('ZADD', KEYS[4], version, id)
  return slug
end

for i = 9, #ARGV, 5 do
  local slug = move(unpack(ARGV, i, i + 4))
  if slug then
    moved[#moved + 1] = slug
  end
end
if #moved > 0 then
  addAuditLine(KEYS[8], { at = at, action = ARGV[4], reason = reason, count = #moved, bots = moved })
end
return moved
