-- @include event
-- @include drop-reports
-- @include take-away
-- @include prefix

--- Returns the keys for moveBot: the first nine of the script. Fails before anything is written if one has another type.
local function movingKeys()
  local keys = {
    state = KEYS[1],
    bots = KEYS[2],
    withdrawn = KEYS[3],
    changes = KEYS[4],
    events = KEYS[5],
    ids = KEYS[6],
    reports = KEYS[7],
    missing = KEYS[8],
    gone = KEYS[9],
  }
  expectType('zset', { keys.bots, keys.withdrawn, keys.changes, keys.ids, keys.reports, keys.missing, keys.gone })
  return keys
end

--- Moves a bot to the list or out of it, with its event, and updates all indexes. `keys`: see movingKeys.
--- `change`: version, at, and the fields of `state`. `move`: id, to ('listed', 'hidden' or 'removed'), from (the states
--- from which it may, with commas around each), reason, shownReason (what its event says of it, or nil), eventId, and
--- kept, the fields that a removed bot keeps. Returns its slug; nil if it is there already, or can't go there.
local function moveBot(keys, change, move)
  local bot, id = prefix .. 'bot:' .. move.id, move.id
  local slug, state, announced = unpack(redis.call('HMGET', bot, 'slug', 'state', 'event'))
  if not slug or not string.find(move.from, ',' .. (state or 'listed') .. ',', 1, true) then
    return nil
  end
  local isListed = move.to == 'listed'
  addEvent(keys, {
    number = change.version,
    at = change.at,
    id = move.eventId,
    type = not isListed and 'bot.removed' or announced and 'bot.restored' or 'bot.created',
    bot = id,
    reason = move.shownReason,
  }, change.state)
  local fields = { 'changed_at', change.at, 'updated_at', change.at }
  local function append(name, value)
    fields[#fields + 1], fields[#fields + 2] = name, value
  end
  redis.call('HDEL', bot, 'missed', 'missed_at', 'gone_at')
  redis.call('ZREM', keys.missing, id)
  redis.call('ZREM', keys.gone, id)
  local position = redis.call('ZSCORE', keys.bots, id) or redis.call('ZSCORE', keys.withdrawn, id)
  if isListed then
    redis.call('HDEL', bot, 'state', 'reason', 'withdrawn_at')
    redis.call('ZREM', keys.withdrawn, id)
    redis.call('ZADD', keys.bots, announced and position or change.version, id)
    if not announced then
      append('created_at', change.at)
      append('event', change.version)
    end
  else
    append('state', move.to)
    append('reason', move.reason)
    append('withdrawn_at', change.at)
    redis.call('ZREM', keys.bots, id)
    redis.call('ZADD', keys.withdrawn, position, id)
    if move.to == 'removed' then
      keepOnly(bot, move.kept)
      dropReports(keys.reports, id)
    end
  end
  redis.call('HSET', bot, unpack(fields))
  redis.call('ZADD', keys.changes, change.version, id)
  return slug
end
