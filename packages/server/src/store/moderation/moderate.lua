#!lua flags=allow-oom
-- Hides, removes or lists bots or posts: all in one step, with an event for each bot and one line in the audit log. One
-- that is not listed is in `withdrawn` or `withdrawn-posts`, with the position it comes back to. Reports of a removed
-- one are deleted.
--
-- KEYS  1 … 8 those of movingKeys  9 audit  10 reports
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 action  5 reason, or ''
--       6 the state that follows: listed, hidden or removed  7 those from which it may follow, joined by commas
--       8 the fields that a removed one keeps, joined by commas
--       9 … for each: its id, and that of its event, or '' for a post
-- Returns  {slugs of the bots, or ids of the posts, that changed}; one that is there already, or can't go there, is left
--          out
-- @include next-change
-- @include move-entry
-- @include kept-fields
-- @include audit

local target, reason = ARGV[6], ARGV[5]
local first, at, state = nextChange(KEYS[1])
local keys, kept = movingKeys(), keptFields(ARGV[8])
local moved, removed = {}, {}
expectType('stream', { KEYS[9] })
expectType('hash', { KEYS[10] })

for i = 9, #ARGV, 2 do
  local name, hash = moveEntry(keys, {
    version = string.format('%.0f', tonumber(first) + #moved),
    at = at,
    state = state,
  }, {
    id = ARGV[i],
    to = target,
    from = ',' .. ARGV[7] .. ',',
    reason = reason,
    shownReason = target == 'removed' and reason or nil,
    eventId = ARGV[i + 1] ~= '' and ARGV[i + 1] or nil,
  })
  if name then
    moved[#moved + 1] = name
    if target == 'removed' then
      keepOnly(hash, kept)
      removed[ARGV[i]] = true
    end
  end
end
if next(removed) then
  for _, report in ipairs(redis.call('HKEYS', KEYS[10])) do
    if removed[string.match(report, '^%S+ (%S+)')] then
      redis.call('HDEL', KEYS[10], report)
    end
  end
end
if #moved > 0 then
  addAuditLine(KEYS[9], { at = at, action = ARGV[4], reason = reason, count = #moved, bots = moved })
end
return moved
