-- @include caller
-- @include clock
-- @include prefix

--- More changes than any rewind undoes.
local rewindGap = 1e9
--- How many versions a reader may be behind before it reads the whole directory again: a megabyte.
local mostRecorded = 65536

--- Records that the store has a version from now on. Scripts call it before all other writes, because it fails on a key
--- of another type. A number that is recorded and then not reached does no harm, because nobody knows it.
local function recordVersion(version)
  redis.call('XADD', prefix .. 'versions', 'MAXLEN', '~', mostRecorded, version .. '-0', 'v', '')
end

--- Returns the version and the time of the next change, and the fields of `state` to write with it. It writes nothing.
--- The version is above any that the store or the caller knows, and above the microseconds since 1970. It is never
--- assigned twice, not even by a server that lost it: the step is random. See decision 0015.
--- Numbers are formatted here, never with `..`, which keeps only fourteen digits.
local function nextChange(state)
  local stored = redis.call('HMGET', state, 'version', 'changed_at', 'began_at', 'epoch')
  refuseEmptied(stored[1])
  local version, epoch, beganAt = tonumber(stored[1] or '0'), stored[4], tonumber(stored[3] or '0')
  local now, microseconds = serverMs()

  -- A caller that knows a higher version than the store's saw it before the store lost it.
  local isRewound = caller.highest > version
  local latestDate = math.max(tonumber(stored[2] or '0'), beganAt)
  if isRewound or not epoch then
    epoch, beganAt = caller.newEpoch, now
  end
  -- The clock went back: responses were dated up to then, and what follows must not share a second with them.
  if latestDate > now then
    beganAt = latestDate + 1000
  end
  local lowest = math.max(version, isRewound and caller.highest + rewindGap or 0, microseconds)
  local text, at = string.format('%.0f', lowest + 1 + caller.step), string.format('%.0f', now)
  local fields = { 'version', text, 'changed_at', at, 'began_at', string.format('%.0f', beganAt), 'epoch', epoch }
  return text, at, fields
end
