#!lua
-- Changes one of the operator's rules, with a line in the audit log when that changes anything.
--
-- KEYS  1 state  2 blocks  3 audit
-- ARGV  1 how far ahead of the store's clock it is now (ms)  2 most lines of the audit log  3, 4 the operator, and the
--       command's words  5 action  6 reason
--       7 for block and unblock: kind:value; for pause- and resume-deliveries: the key of the pause (same slot)
--       8 for block: the most blocks there may be
-- Returns  'changed', 'unchanged', or 'full': there are as many blocks as there may be

local action, reason, subject = ARGV[5], ARGV[6], ARGV[7]
local time = redis.call('TIME')
local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1])

local change = {
  block = function()
    if redis.call('HEXISTS', KEYS[2], subject) == 0 and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[8]) then
      return 'full'
    end
    redis.call('HSET', KEYS[2], subject, cjson.encode({ reason = reason, atMs = tonumber(nowMs) }))
    redis.call('HINCRBY', KEYS[1], 'blocks', 1)
    return 'changed'
  end,
  unblock = function()
    if redis.call('HDEL', KEYS[2], subject) == 0 then
      return 'unchanged'
    end
    redis.call('HINCRBY', KEYS[1], 'blocks', 1)
    return 'changed'
  end,
  ['close-submissions'] = function()
    if redis.call('HGET', KEYS[1], 'submissions') == 'off' then
      return 'unchanged'
    end
    redis.call('HSET', KEYS[1], 'submissions', 'off')
    return 'changed'
  end,
  ['open-submissions'] = function()
    return redis.call('HDEL', KEYS[1], 'submissions') == 0 and 'unchanged' or 'changed'
  end,
  ['pause-deliveries'] = function()
    return redis.call('SET', subject, '1', 'NX') and 'changed' or 'unchanged'
  end,
  ['resume-deliveries'] = function()
    return redis.call('DEL', subject) == 0 and 'unchanged' or 'changed'
  end,
}

-- A key of the wrong type fails here, when it is read: a script cannot roll back after its first write.
redis.call('HLEN', KEYS[1])
redis.call('HLEN', KEYS[2])
redis.call('XLEN', KEYS[3])

local outcome = change[action]()
if outcome == 'changed' then
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[2], '*', 'at', nowMs, 'by', ARGV[3], 'action', action,
    'reason', reason, 'command', ARGV[4], 'count', 0, 'bots', '')
end
return outcome
