--- The fields that something removed keeps, from their names joined by commas.
local function keptFields(joined)
  local kept = {}
  for name in string.gmatch(joined, '[^,]+') do
    kept[name] = true
  end
  return kept
end

--- Deletes all fields of a hash but these.
local function keepOnly(hash, kept)
  local gone = {}
  for _, name in ipairs(redis.call('HKEYS', hash)) do
    if not kept[name] then
      gone[#gone + 1] = name
    end
  end
  if #gone > 0 then
    redis.call('HDEL', hash, unpack(gone))
  end
end
