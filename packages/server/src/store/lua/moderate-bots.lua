#!lua
-- Hides, removes or lists bots: all in one step, with an event for each and one line in the audit log. A bot that is
-- not listed is in `withdrawn`, with the position it comes back to. The envelope that announced it is deleted from the
-- log, so that it is not sent any more.
--
-- KEYS  1 state  2 bots  3 withdrawn  4 changes  5 events  6 event-ids  7 withheld  8 audit  9 reports
-- ARGV  1 highest version that the caller knows  2 an epoch, if one is needed  3 offset of the clock (ms)
--       4 action: hide, remove or restore  5 reason, or ''  6 prefix of bot:<id>, report:<id> and reports-of:<id> (same
--       slot)  7 most lines of the audit log  8, 9 the operator, and the command's words
--       10 … for each bot: id, event id, event type, envelope with a NUL where the time goes
-- Returns  {slugs of the bots that changed}; a bot that is there already, or can't go there, is left out
-- @include lineage
-- @include next-change
-- @include timestamp

local action, reason, prefix = ARGV[4], ARGV[5], ARGV[6]
local first, at, changed = nextChange(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
local stamp, moved = timestamp(tonumber(at)), {}

-- A key of the wrong type fails here, when it is read: a script cannot roll back after its first write.
for _, i in ipairs({ 2, 3, 4, 6, 7, 9 }) do
  redis.call('ZCARD', KEYS[i])
end
redis.call('XLEN', KEYS[8])

local target = action == 'hide' and 'hidden' or action == 'remove' and 'removed' or 'listed'
local comesFrom = {
  hidden = { listed = true },
  removed = { listed = true, hidden = true, pending = true },
  listed = { hidden = true, removed = true, pending = true },
}

local function list(id, bot, version, isNew)
  local position = isNew and version or redis.call('ZSCORE', KEYS[3], id)
  redis.call('HDEL', bot, 'state', 'reason', 'withdrawn_at')
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZADD', KEYS[2], position, id)
  if isNew then
    redis.call('HSET', bot, 'created_at', at, 'event', version)
    redis.call('HSET', KEYS[1], 'announced', version)
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

local function move(id, eventId, eventType, envelope)
  local bot = prefix .. 'bot:' .. id
  local slug, state, event = unpack(redis.call('HMGET', bot, 'slug', 'state', 'event'))
  state = state or 'listed'
  if not slug or not comesFrom[target][state] then
    return nil
  end
  local version = string.format('%.0f', tonumber(first) + #moved)
  local body = string.gsub(envelope, '%z', stamp)
  local withdraws = target ~= 'listed' and event or ''
  -- First, because it is the only write that can fail: the log refuses a number below its last.
  local told = { 'id', eventId, 'type', eventType, 'at', at, 'body', body, 'withdraws', withdraws }
  redis.call('XADD', KEYS[5], version .. '-0', unpack(told))
  redis.call('HSET', KEYS[1], unpack(changed))
  redis.call('HSET', KEYS[1], 'version', version, 'urgent', version, 'events', version)
  redis.call('HSET', bot, 'changed_at', at)
  if target == 'listed' then
    list(id, bot, version, not event)
  else
    withdraw(id, bot, event)
  end
  redis.call('ZADD', KEYS[4], version, id)
  redis.call('ZADD', KEYS[6], version, eventId)
  if eventType ~= 'bot.created' then
    redis.call('ZADD', KEYS[7], version, eventId)
  end
  return slug
end

for i = 10, #ARGV, 4 do
  local slug = move(unpack(ARGV, i, i + 3))
  if slug then
    moved[#moved + 1] = slug
  end
end
if #moved > 0 then
  redis.call('XADD', KEYS[8], 'MAXLEN', '~', ARGV[7], '*', 'at', at, 'by', ARGV[8], 'action', action,
    'reason', reason, 'command', ARGV[9], 'count', #moved, 'bots', table.concat(moved, ','))
end
return moved
