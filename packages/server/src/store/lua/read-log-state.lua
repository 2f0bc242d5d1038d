-- Reads the state of the event log: while it is the same, so are the events. `gone` counts the events that have left
-- the log, because they were too old, too many or withdrawn, and the changes of those in it. It has no flags, because
-- `no-writes` would keep it from noticing a replica.
--
-- KEYS  1 state  2 events
-- Returns  {epoch, number of the last event, gone}
-- @include replica

local refusal = refusalOfReplica(KEYS[1])
if refusal then
  return refusal
end
local head, epoch, rewrites = unpack(redis.call('HMGET', KEYS[1], 'events', 'epoch', 'rewrites'))
local added, length = 0, 0
if redis.call('EXISTS', KEYS[2]) == 1 then
  local facts = redis.call('XINFO', 'STREAM', KEYS[2])
  for i = 1, #facts, 2 do
    if facts[i] == 'entries-added' then
      added = facts[i + 1]
    elseif facts[i] == 'length' then
      length = facts[i + 1]
    end
  end
end
return { epoch or '', head or '0', added - length + (rewrites or 0) }
