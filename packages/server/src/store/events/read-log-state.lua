-- Reads the state of the event log: while it is the same, so are the events and the bots that they are about. It has no
-- flags, because `no-writes` would keep it from noticing a replica.
--
-- KEYS  1 state  2 events
-- Returns  {epoch, number of the last event, version, id of the oldest entry}
-- @include replica

local refusal = refusalOfReplica(KEYS[1])
if refusal then
  return refusal
end
local epoch, head, version = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'events', 'version'))
local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
return { epoch or '', head or '0', version or '0', oldest and oldest[1] or '' }
