#!lua flags=no-writes
-- Reads, at one instant, the store's lineage and the events after a number.
--
-- KEYS  1 state  2 events
-- ARGV  1 number  2 most
-- Returns  {lineage, number of the last event, the entries as XRANGE gives them, time of the store (ms)}
-- @include lineage

local id = lineageOfServer()
if not id then
  return redis.error_reply(isReplica)
end
local time = redis.call('TIME')
local head, epoch = unpack(redis.call('HMGET', KEYS[1], 'events', 'epoch'))
return {
  string.sub(id, 1, 10) .. (epoch or ''),
  head or '0',
  redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-0', '+', 'COUNT', ARGV[2]),
  string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)),
}
