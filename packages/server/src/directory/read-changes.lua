-- Reads, at one instant, what changed after a version. A reader that repeats it from the last version it got, until
-- that is the latest, has exactly the directory at that version. Hot path: it runs before every response, so keep the
-- arguments minimal. It has no flags, because `no-writes` would keep it from noticing a replica.
--
-- KEYS  1 state; the other keys are in the same slot
-- ARGV  1 version that the reader has  2 epoch it is of  3 1 when install counts matter now
-- Returns  {epoch, version, latest, time, began,
--          {{id, version of its change, position in the list, hash as a flat list, position that it comes back to if it
--          is not in the list}, …}}
--          epoch    when it is not the reader's, or the reader has nothing (version 0), no changes are returned
--          version  that the reader has now: its own, if nothing that matters has changed; 0 if the store does not know
--                   the reader's, because it lost it or because it was too long ago
--          latest   version of the store
--          time     of the store (ms)
--          began    when the epoch began (ms), or '' before the first change
-- @include replica
-- @include clock
-- @include prefix

local limit = 250
local refusal = refusalOfReplica(KEYS[1])
if refusal then
  return refusal
end
local state = redis.call('HMGET', KEYS[1], 'version', 'urgent', 'epoch', 'began_at')
local latest, urgent, epoch, began = state[1] or '0', state[2] or '0', state[3] or '', state[4] or ''
local time = string.format('%.0f', serverMs())

local function isKnown(version)
  local id = version .. '-0'
  return version == latest or redis.call('XRANGE', prefix .. 'versions', id, id)[1] ~= nil
end

local has = tonumber(ARGV[1])
if epoch ~= ARGV[2] or has > 0 and not isKnown(ARGV[1]) then
  return { epoch, '0', latest, time, began, {} }
elseif has == 0 or tonumber(urgent) <= has and (ARGV[3] ~= '1' or tonumber(latest) == has) then
  return { epoch, ARGV[1], latest, time, began, {} }
end

local found = redis.call('ZRANGEBYSCORE', prefix .. 'changes', '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local entries = {}
for i = 1, #found, 2 do
  local entry = found[i]
  local kind = string.match(entry, '^%a+')
  local place = redis.call('ZSCORE', prefix .. kind .. 's', entry)
  local former = not place and redis.call('ZSCORE', prefix .. (kind == 'bot' and 'withdrawn' or 'withdrawn-posts'), entry)
  entries[#entries + 1] = { entry, found[i + 1], place, redis.call('HGETALL', prefix .. kind .. ':' .. entry), former }
end
return { epoch, #entries == limit and found[#found] or latest, latest, time, began, entries }
