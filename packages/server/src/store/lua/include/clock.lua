-- @include time

--- How far a test has moved the store's clock (ms). The caller adds it to the arguments of every script that includes
--- this file, as the last; what remains are those that the script documents.
local clockOffset = tonumber(table.remove(ARGV))

--- The store's clock in ms.
local function nowMs()
  return serverMs() + clockOffset
end
