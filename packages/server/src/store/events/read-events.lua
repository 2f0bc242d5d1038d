-- Reads, at one instant, the store's epoch, the events after a number, and the bots that they are about. It has no
-- flags, because `no-writes` would keep it from noticing a replica.
--
-- KEYS  1 state  2 events  3 event-ids; the bots are in the same slot
-- ARGV  1 number  2 most  3 … fields of a bot
-- Returns  {epoch, number of the last event, the entries as XRANGE gives them, time of the store (ms), known,
--          registered, {{bot id, {value of each field, or false}}, …}}
--          known       1 if there is or was an event with that number, as far back as the log reaches
--          registered  how many registrations of webhooks there were
-- @include replica
-- @include clock
-- @include prefix

local refusal = refusalOfReplica(KEYS[1])
if refusal then
  return refusal
end
local head, epoch, registered = unpack(redis.call('HMGET', KEYS[1], 'events', 'epoch', 'registered'))
local isKnown = ARGV[1] == (head or '0') or redis.call('ZCOUNT', KEYS[3], ARGV[1], ARGV[1]) > 0
local entries = redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])

local bots, isRead = {}, {}
local function readBot(id)
  if not isRead[id] then
    isRead[id] = true
    bots[#bots + 1] = { id, redis.call('HMGET', prefix .. 'bot:' .. id, unpack(ARGV, 3)) }
  end
end
for _, entry in ipairs(entries) do
  local fields = entry[2]
  for i = 1, #fields, 2 do
    if fields[i] == 'bot' then
      readBot(fields[i + 1])
    end
  end
end

return {
  epoch or '',
  head or '0',
  entries,
  string.format('%.0f', serverMs()),
  isKnown and 1 or 0,
  registered or '0',
  bots,
}
