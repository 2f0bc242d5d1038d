--- The fields of a hash that change, as a flat list of names and values; nil if one no longer has the value that the
--- change was made from. From `first` on, ARGV has for each field: its name, the value it has, the value that it gets;
--- '' is the same as none.
local function changedFields(hash, first)
  local fields = {}
  for i = first, #ARGV, 3 do
    if (redis.call('HGET', hash, ARGV[i]) or '') ~= ARGV[i + 1] then
      return nil
    end
    if ARGV[i + 2] ~= ARGV[i + 1] then
      fields[#fields + 1], fields[#fields + 2] = ARGV[i], ARGV[i + 2]
    end
  end
  return fields
end
