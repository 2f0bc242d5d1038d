#!lua flags=allow-oom
-- Changes one of the operator's rules, with a line in the audit log when that changes anything.
--
-- KEYS  1 state  2 blocks  3 audit  4 paused
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 action  5 reason
--       6 for block and unblock: kind:value
--       7 for block: the most blocks there may be  8 how long it holds (ms), or ''
-- Returns  'changed', 'unchanged', or 'full': there are as many blocks as there may be
-- @include clock
-- @include audit
-- @include types

local action, reason, subject = ARGV[4], ARGV[5], ARGV[6]
local at = string.format('%.0f', serverMs())

local change = {
  block = function()
    if redis.call('HEXISTS', KEYS[2], subject) == 0 and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[7]) then
      return 'full'
    end
    local untilMs = tonumber(ARGV[8]) and tonumber(at) + tonumber(ARGV[8])
    redis.call('HSET', KEYS[2], subject, cjson.encode({ reason = reason, atMs = tonumber(at), untilMs = untilMs }))
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
    return redis.call('SET', KEYS[4], '1', 'NX') and 'changed' or 'unchanged'
  end,
  ['resume-deliveries'] = function()
    return redis.call('DEL', KEYS[4]) == 0 and 'unchanged' or 'changed'
  end,
}

expectType('hash', { KEYS[1], KEYS[2] })
expectType('stream', { KEYS[3] })

local outcome = change[action]()
if outcome == 'changed' then
  addAuditLine(KEYS[3], { at = at, action = action, reason = reason })
end
return outcome
