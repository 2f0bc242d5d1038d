-- @include event
-- @include prefix

--- Returns the keys for moveEntry: the first eight of the script. Fails before anything is written if one has another
--- type.
local function movingKeys()
  local keys = {
    state = KEYS[1],
    listed = KEYS[2],
    withdrawn = KEYS[3],
    changes = KEYS[4],
    events = KEYS[5],
    ids = KEYS[6],
    missing = KEYS[7],
    gone = KEYS[8],
  }
  expectType('zset', { keys.listed, keys.withdrawn, keys.changes, keys.ids, keys.missing, keys.gone })
  return keys
end

--- Moves a bot or a post to its list or out of it, and updates all indexes. `keys`: see movingKeys. `change`: version,
--- at, and the fields of `state`. `move`: id, to ('listed', 'hidden' or 'removed'), from (the states from which it may,
--- with commas around each), reason; and for a bot, which has an event, eventId, and shownReason (what its event says of
--- it, or nil). Returns its slug or id, and the key of its hash; nil if it is there already, or can't go there.
local function moveEntry(keys, change, move)
  local id, isBot = move.id, move.eventId ~= nil
  local hash = prefix .. (isBot and 'bot:' or 'post:') .. id
  local stored, slug, state, announced = unpack(redis.call('HMGET', hash, 'id', 'slug', 'state', 'event'))
  if not stored or not string.find(move.from, ',' .. (state or 'listed') .. ',', 1, true) then
    return nil
  end
  local isListed = move.to == 'listed'
  local fields = { 'changed_at', change.at }
  local function append(name, value)
    fields[#fields + 1], fields[#fields + 2] = name, value
  end
  local position = redis.call('ZSCORE', keys.listed, id) or redis.call('ZSCORE', keys.withdrawn, id)
  if isBot then
    addEvent(keys, {
      number = change.version,
      at = change.at,
      id = move.eventId,
      type = not isListed and 'bot.removed' or announced and 'bot.restored' or 'bot.created',
      bot = id,
      reason = move.shownReason,
    }, change.state)
    append('updated_at', change.at)
    if isListed and not announced then
      position = change.version
      append('created_at', change.at)
      append('event', change.version)
    end
  else
    recordVersion(change.version)
    redis.call('HSET', keys.state, unpack(change.state))
    redis.call('HSET', keys.state, 'version', change.version, 'urgent', change.version)
  end
  redis.call('HDEL', hash, 'missed', 'missed_at', 'gone_at')
  redis.call('ZREM', keys.missing, id)
  redis.call('ZREM', keys.gone, id)
  if isListed then
    redis.call('HDEL', hash, 'state', 'reason', 'withdrawn_at')
  else
    append('state', move.to)
    append('reason', move.reason)
    append('withdrawn_at', change.at)
  end
  redis.call('ZREM', isListed and keys.withdrawn or keys.listed, id)
  redis.call('ZADD', isListed and keys.listed or keys.withdrawn, position, id)
  redis.call('HSET', hash, unpack(fields))
  redis.call('ZADD', keys.changes, change.version, id)
  return slug or id, hash
end
