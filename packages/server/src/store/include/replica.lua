--- The error of a replica, whose data may be old, or nil. Only a primary accepts a write, and this one changes nothing.
--- A primary that accepts no writes at present refuses it for another reason, and is still read.
local function refusalOfReplica(state)
  local reply = redis.pcall('HDEL', state, '')
  if type(reply) == 'table' and string.find(reply.err, '^READONLY') then
    return reply
  end
end
