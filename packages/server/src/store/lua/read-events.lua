-- Reads, at one instant, the store's epoch and the events after a number. It has no flags, because `no-writes` would
-- keep it from noticing a replica.
--
-- KEYS  1 state  2 events  3 event-ids
-- ARGV  1 number  2 most
-- Returns  {epoch, number of the last event, the entries as XRANGE gives them, time of the store (ms), known,
--          registered}
--          known       1 if there is or was an event with that number, as far back as the log reaches
--          registered  how many registrations of webhooks there were
-- @include replica
-- @include clock
-- @include texts

local refusal = refusalOfReplica(KEYS[1])
if refusal then
  return refusal
end
local head, epoch, registered = unpack(redis.call('HMGET', KEYS[1], 'events', 'epoch', 'registered'))
local isKnown = ARGV[1] == (head or '0') or redis.call('ZCOUNT', KEYS[3], ARGV[1], ARGV[1]) > 0
return {
  epoch or '',
  head or '0',
  withRewritten(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])),
  string.format('%.0f', serverMs()),
  isKnown and 1 or 0,
  registered or '0',
}
