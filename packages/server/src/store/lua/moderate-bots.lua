#!lua flags=allow-oom
-- Hides, removes or lists bots: all in one step, with an event for each and one line in the audit log. A bot that is
-- not listed is in `withdrawn`, with the position it comes back to.
--
-- KEYS  1 … 9 those of movingKeys  10 audit
-- ARGV  1 most lines of the audit log  2, 3 the operator, and the command's words  4 action  5 reason, or ''
--       6 the state that follows: listed, hidden or removed  7 those from which it may follow, joined by commas
--       8 the fields that a removed bot keeps, joined by commas
--       9 … for each bot: its id, and that of its event
-- Returns  {slugs of the bots that changed}; a bot that is there already, or can't go there, is left out
-- @include next-change
-- @include move-bot
-- @include audit

local first, at, state = nextChange(KEYS[1])
local keys, kept = movingKeys(), keptFields(ARGV[8])
local moved = {}
expectType('stream', { KEYS[10] })

for i = 9, #ARGV, 2 do
  local slug = moveBot(keys, {
    version = string.format('%.0f', tonumber(first) + #moved),
    at = at,
    state = state,
  }, {
    id = ARGV[i],
    to = ARGV[6],
    from = ',' .. ARGV[7] .. ',',
    reason = ARGV[5],
    shownReason = ARGV[6] == 'removed' and ARGV[5] or nil,
    kept = kept,
    eventId = ARGV[i + 1],
  })
  if slug then
    moved[#moved + 1] = slug
  end
end
if #moved > 0 then
  if ARGV[6] ~= 'listed' then
    dropSnapshot(first)
  end
  addAuditLine(KEYS[10], { at = at, action = ARGV[4], reason = ARGV[5], count = #moved, bots = moved })
end
return moved
