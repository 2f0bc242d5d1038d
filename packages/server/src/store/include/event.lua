-- @include types

--- Adds an event to the log, with the change of the directory that it is about. `keys`: state, events, ids. `event`:
--- number, at, id, type, bot, and the reason that a removal shows. A script calls it before all other writes, because it
--- alone can fail.
local function addEvent(keys, event, change)
  local number = event.number
  local state = { unpack(change) }
  state[#state + 1], state[#state + 2] = 'version', number
  if event.type == 'bot.created' then
    state[#state + 1], state[#state + 2] = 'announced', number
  end
  local entry = { 'id', event.id, 'type', event.type, 'at', event.at, 'bot', event.bot }
  if event.reason then
    entry[#entry + 1], entry[#entry + 2] = 'reason', event.reason
  end
  expectType('stream', { keys.events })
  expectType('zset', { keys.ids })
  recordVersion(number)
  redis.call('XADD', keys.events, number .. '-0', unpack(entry))
  redis.call('HSET', keys.state, 'urgent', number, 'events', number, unpack(state))
  redis.call('ZADD', keys.ids, number, event.id)
end
