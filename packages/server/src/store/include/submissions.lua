--- Why something that was checked against a version of the blocks can't be published: 'closed', 'outdated', or nil.
local function refusalOfSubmission(state, blocksVersion)
  local submissions, blocks = unpack(redis.call('HMGET', state, 'submissions', 'blocks'))
  if submissions == 'off' then
    return 'closed'
  end
  return (blocks or '0') ~= blocksVersion and 'outdated' or nil
end
