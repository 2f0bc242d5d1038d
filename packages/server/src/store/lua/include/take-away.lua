--- Deletes all fields of a hash but these, which are joined by commas.
local function keepOnly(hash, kept)
  local gone = {}
  for _, name in ipairs(redis.call('HKEYS', hash)) do
    if not string.find(',' .. kept .. ',', ',' .. name .. ',', 1, true) then
      gone[#gone + 1] = name
    end
  end
  if #gone > 0 then
    redis.call('HDEL', hash, unpack(gone))
  end
end

--- Deletes the snapshot of the directory, which has what an operator took away with this version, and forbids one of an
--- older version.
local function dropSnapshot(state, version)
  redis.call('UNLINK', string.sub(state, 1, -#'state' - 1) .. 'snapshot')
  redis.call('HSET', state, 'taken_away', version)
end
