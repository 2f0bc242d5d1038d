--- The store's clock in ms, and in microseconds.
local function serverMs()
  local seconds, microseconds = unpack(redis.call('TIME'))
  return seconds * 1000 + math.floor(microseconds / 1000), seconds * 1000000 + microseconds
end
