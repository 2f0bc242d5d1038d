-- Hides, removes or lists bots: all that are given, in one step, with an event each and one line in the audit log.
-- A bot that is not listed is in `withdrawn`, with the position it comes back to, and the envelope that announced it is
-- taken out of the log, so that nobody is told of it from now on.
--
-- KEYS  1 state  2 bots  3 withdrawn  4 changes  5 events  6 event-ids  7 withheld  8 audit
-- ARGV  1 action: hide, remove or restore  2 reason, or ''  3 prefix of bot:<id> (same slot)
--       4 how far ahead of the store's clock it is now (ms)  5 most lines of the audit log
--       6, 7 who did it, and with which words  8 … for each bot: id, event id, event type, envelope with a NUL where the
--       time goes
-- Returns  {slugs of the bots that changed}; a bot that is there already, or can't go there, is left out

local action, reason, prefix = ARGV[1], ARGV[2], ARGV[3]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4]
local target = action == 'hide' and 'hidden' or action == 'remove' and 'removed' or 'listed'
local comesFrom = {
  hidden = { listed = true },
  removed = { listed = true, hidden = true, pending = true },
  listed = { hidden = true, removed = true, pending = true },
}

-- ISO 8601 in UTC, with milliseconds (days to civil date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
local function timestamp(ms)
  local days, rest = math.floor(ms / 86400000), ms % 86400000
  local z = days + 719468
  local era = math.floor(z / 146097)
  local doe = z - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  local month = mp < 10 and mp + 3 or mp - 9
  local year = yoe + era * 400 + (month <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year, month, doy - math.floor((153 * mp + 2) / 5) + 1,
    math.floor(rest / 3600000), math.floor(rest / 60000) % 60, math.floor(rest / 1000) % 60, rest % 1000)
end
local stamp = timestamp(nowMs)

local function number(n)
  return string.format('%.0f', n)
end

local function move(id, eventId, eventType, envelope)
  local bot = prefix .. 'bot:' .. id
  local slug, state, announced = unpack(redis.call('HMGET', bot, 'slug', 'state', 'event'))
  state = state or 'listed'
  if not slug or not comesFrom[target][state] then
    return nil
  end
  local event = number(redis.call('HINCRBY', KEYS[1], 'events', 1))
  local version = number(redis.call('HINCRBY', KEYS[1], 'version', 1))
  redis.call('HSET', KEYS[1], 'urgent', version)
  redis.call('HSET', bot, 'changed_at', number(nowMs))
  if target == 'listed' then
    local position = redis.call('ZSCORE', KEYS[3], id)
    redis.call('HDEL', bot, 'state', 'reason', 'withdrawn_at')
    redis.call('ZREM', KEYS[3], id)
    redis.call('ZADD', KEYS[2], state == 'pending' and version or position, id)
    if state == 'pending' then
      redis.call('HSET', bot, 'created_at', number(nowMs), 'event', event)
    end
  else
    local position = redis.call('ZSCORE', KEYS[2], id) or redis.call('ZSCORE', KEYS[3], id)
    redis.call('HSET', bot, 'state', target, 'reason', reason, 'withdrawn_at', number(nowMs))
    redis.call('ZREM', KEYS[2], id)
    redis.call('ZADD', KEYS[3], position, id)
    if announced then
      local entry = announced .. '-0'
      local found = redis.call('XRANGE', KEYS[5], entry, entry)
      if found[1] then
        redis.call('XDEL', KEYS[5], entry)
        redis.call('ZADD', KEYS[7], announced, found[1][2][2])
      end
    end
  end
  redis.call('ZADD', KEYS[4], version, id)
  redis.call('XADD', KEYS[5], event .. '-0', 'id', eventId, 'type', eventType, 'body', (string.gsub(envelope, '%z', stamp)))
  redis.call('ZADD', KEYS[6], event, eventId)
  if eventType ~= 'bot.created' then
    redis.call('ZADD', KEYS[7], event, eventId)
  end
  return slug
end

local changed = {}
for at = 8, #ARGV, 4 do
  local slug = move(unpack(ARGV, at, at + 3))
  if slug then
    changed[#changed + 1] = slug
  end
end
if #changed > 0 then
  redis.call('XADD', KEYS[8], 'MAXLEN', '~', ARGV[5], '*', 'at', number(nowMs), 'by', ARGV[6], 'action', action,
    'reason', reason, 'command', ARGV[7], 'count', #changed, 'bots', table.concat(changed, ','))
end
return changed
