--- More changes than any rewind undoes.
local rewindGap = 1e9

--- Returns the version and the time of the next change, and the fields of `state` to write with it.
--- Versions always rise: the first one of a new lineage is above any that the store, the caller or a clock can know
--- from the previous lineage. Times never go back within a lineage.
--- Numbers are formatted here, never with `..`, which keeps only fourteen digits.
local function nextChange(state, known, newEpoch, offsetMs)
  local lineage = lineageOfServer()
  local stored = redis.call('HMGET', state, 'version', 'changed_at', 'lineage', 'began_at', 'epoch')
  local version, beganAt, epoch = tonumber(stored[1] or '0'), stored[4], stored[5]
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(offsetMs)
  local at = string.format('%.0f', math.max(nowMs, tonumber(stored[2] or '0')))

  -- A caller that knows a higher version than the store's saw it before the store lost it.
  local isRewound = tonumber(known) > version
  if stored[3] ~= lineage or isRewound or not epoch then
    version = math.max(math.max(version, tonumber(known)) + rewindGap, time[1] * 1000000 + time[2])
    beganAt = at
    if isRewound or not epoch then
      epoch = newEpoch
    end
  end
  local text = string.format('%.0f', version + 1)
  return text, at, { 'version', text, 'changed_at', at, 'lineage', lineage, 'began_at', beganAt, 'epoch', epoch }
end
