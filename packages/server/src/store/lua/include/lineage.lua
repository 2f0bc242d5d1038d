--- The id of this life of the store. Redis makes another one at every start and every promotion, so a server that may
--- have lost something has another id. nil on a replica, because its data may be old.
local function lineageOfServer()
  local info = redis.call('INFO', 'replication')
  if not string.find(info, 'role:master', 1, true) then
    return nil
  end
  return string.match(info, 'master_replid:(%x+)')
end

local isReplica = 'READONLY this server is a replica: what it holds may be old.'
