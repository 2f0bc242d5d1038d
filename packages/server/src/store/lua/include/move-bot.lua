-- @include event
-- @include drop-reports
-- @include take-away
-- @include prefix

--- Returns the keys for moveBot: the first ten of the script. Fails before anything is written if one has another type.
local function movingKeys()
  local keys = {
    state = KEYS[1],
    bots = KEYS[2],
    withdrawn = KEYS[3],
    changes = KEYS[4],
    events = KEYS[5],
    ids = KEYS[6],
    withheld = KEYS[7],
    reports = KEYS[8],
    missing = KEYS[9],
    gone = KEYS[10],
  }
  expectType('zset', { keys.bots, keys.withdrawn, keys.changes, keys.ids, keys.withheld })
  expectType('zset', { keys.reports, keys.missing, keys.gone })
  expectType('hash', { rewritten })
  return keys
end

--- Moves a bot to the list or out of it, with its event, and updates all indexes. `keys`: see movingKeys.
--- `change`: version, at, and the fields of `state`. `move`: id, to ('listed', 'hidden' or 'removed'), from (the states
--- from which it may, with commas around each), reason, its event without number and time, and kept, the fields that a
--- removed bot keeps. Returns its slug; nil if it is there already, or can't go there.
local function moveBot(keys, change, move)
  local bot, id = prefix .. 'bot:' .. move.id, move.id
  local slug, state, announced = unpack(redis.call('HMGET', bot, 'slug', 'state', 'event'))
  if not slug or not string.find(move.from, ',' .. (state or 'listed') .. ',', 1, true) then
    return nil
  end
  local event = move.event
  event.number, event.at, event.bot = change.version, change.at, id
  -- A server of 1.0.0 forgets this event.
  event.withdraws = move.to ~= 'listed' and announced
  addEvent(keys, event, change.state)
  local fields = { 'changed_at', change.at, 'updated_at', change.at }
  redis.call('HDEL', bot, 'missed', 'missed_at', 'gone_at')
  redis.call('ZREM', keys.missing, id)
  redis.call('ZREM', keys.gone, id)
  local position = redis.call('ZSCORE', keys.bots, id) or redis.call('ZSCORE', keys.withdrawn, id)
  if move.to == 'listed' then
    redis.call('HDEL', bot, 'state', 'reason', 'withdrawn_at')
    redis.call('ZREM', keys.withdrawn, id)
    redis.call('ZADD', keys.bots, announced and position or change.version, id)
    append(fields, 'created_at', not announced and change.at)
    append(fields, 'event', not announced and change.version)
  else
    append(fields, 'state', move.to)
    append(fields, 'reason', move.reason)
    append(fields, 'withdrawn_at', change.at)
    redis.call('ZREM', keys.bots, id)
    redis.call('ZADD', keys.withdrawn, position, id)
    withdrawTexts(keys, id, announced)
    if move.to == 'removed' then
      keepOnly(bot, move.kept)
      dropReports(keys.reports, id)
    end
  end
  redis.call('HSET', bot, unpack(fields))
  redis.call('ZADD', keys.changes, change.version, id)
  return slug
end
