#!lua flags=no-writes
-- Reads how much there is of each kind that could grow.
--
-- KEYS  1 state  2 events  3 bots  4 posts  5 withdrawn  6 reports  7 audit  8 blocks  9 installs  10 backups
--       11 missing
-- Returns  {number of the last event that all webhooks are sent, that of the last event, events, bots, posts, withdrawn
--          bots, reports, lines of the audit log, blocks, visitors, listed bots whose template is
--          missing}

local announced, last = unpack(redis.call('HMGET', KEYS[1], 'announced', 'events'))
local function zcard(key)
  return redis.call('ZCARD', key)
end
return {
  announced or '0',
  last or '0',
  redis.call('XLEN', KEYS[2]),
  zcard(KEYS[3]),
  zcard(KEYS[4]),
  zcard(KEYS[5]),
  zcard(KEYS[6]),
  redis.call('XLEN', KEYS[7]) + redis.call('XLEN', KEYS[10]),
  redis.call('HLEN', KEYS[8]),
  zcard(KEYS[9]),
  zcard(KEYS[11]),
}
