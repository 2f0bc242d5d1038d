#!lua flags=allow-oom
-- Hides, removes or lists posts: all in one step, with one line in the audit log. A post that is not listed is in
-- `withdrawn-posts`, with the position it comes back to; its status stays taken. Reports of a removed one are deleted.
--
-- KEYS  1 state  2 posts  3 withdrawn-posts  4 changes  5 audit  6 reports
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 action  5 reason, or ''
--       6 the state that follows: listed, hidden or removed  7 those from which it may follow, joined by commas
--       8 the fields that a removed post keeps, joined by commas  9 … ids of posts
-- Returns  {ids of the posts that changed}; a post that is there already, or can't go there, is left out
-- @include next-change
-- @include audit
-- @include types
-- @include prefix
-- @include drop-reports
-- @include take-away

local reason, target, sources = ARGV[5], ARGV[6], ',' .. ARGV[7] .. ','
local first, at, changed = nextChange(KEYS[1])
local moved, kept = {}, keptFields(ARGV[8])

expectType('zset', { KEYS[2], KEYS[3], KEYS[4], KEYS[6] })
expectType('stream', { KEYS[5] })

local function move(id)
  local post = prefix .. 'post:' .. id
  local stored, state = unpack(redis.call('HMGET', post, 'id', 'state'))
  if not stored or not string.find(sources, ',' .. (state or 'listed') .. ',', 1, true) then
    return
  end
  local version = string.format('%.0f', tonumber(first) + #moved)
  recordVersion(version)
  local position = redis.call('ZSCORE', KEYS[2], id) or redis.call('ZSCORE', KEYS[3], id)
  if target == 'listed' then
    redis.call('HDEL', post, 'state', 'reason')
    redis.call('ZREM', KEYS[3], id)
    redis.call('ZADD', KEYS[2], position, id)
  else
    redis.call('HSET', post, 'state', target, 'reason', reason)
    redis.call('ZREM', KEYS[2], id)
    redis.call('ZADD', KEYS[3], position, id)
    if target == 'removed' then
      keepOnly(post, kept)
      dropReports(KEYS[6], id)
    end
  end
  redis.call('HSET', post, 'changed_at', at)
  redis.call('ZADD', KEYS[4], version, id)
  redis.call('HSET', KEYS[1], unpack(changed))
  redis.call('HSET', KEYS[1], 'version', version, 'urgent', version)
  moved[#moved + 1] = id
end

for i = 9, #ARGV do
  move(ARGV[i])
end
if #moved > 0 then
  if target ~= 'listed' then
    dropSnapshot(first)
  end
  addAuditLine(KEYS[5], { at = at, action = ARGV[4], reason = reason, count = #moved, bots = moved })
end
return moved
