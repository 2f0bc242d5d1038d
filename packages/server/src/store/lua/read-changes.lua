#!lua flags=no-writes
-- Reads, at one instant, the store's lineage and what changed after a version. A reader that repeats it from the last
-- version it got, until that is the latest, has exactly the directory at that version. It runs before every answer, so
-- it takes no argument that it can do without.
--
-- KEYS  1 state; the other keys are beside it
-- ARGV  1 version that the reader has  2 lineage it is of  3 1 when install counts matter now
-- Returns  {lineage, version, latest, time, began,
--          {{id, version of its change, position in the list, hash as a flat list}, …}}
--          lineage  when it is not the reader's, or the reader has nothing (version 0), no changes are returned
--          version  that the reader has now: its own, if nothing that matters has changed
--          latest   version of the store
--          time     of the store (ms)
--          began    when the first change of the lineage was made (ms), or '' before there is one
-- @include lineage

local limit = 250
local id = lineageOfServer()
if not id then
  return redis.error_reply(isReplica)
end
local state = redis.call('HMGET', KEYS[1], 'version', 'urgent', 'epoch', 'lineage', 'began_at')
local latest, urgent, epoch = state[1] or '0', state[2] or '0', state[3] or ''
local time = redis.call('TIME')
local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local lineage = string.sub(id, 1, 10) .. epoch
local began = state[4] == id and state[5] or ''

local has = tonumber(ARGV[1])
if lineage ~= ARGV[2] or tonumber(latest) < has then
  return { lineage, '0', latest, nowMs, began, {} }
elseif has == 0 or tonumber(urgent) <= has and (ARGV[3] ~= '1' or tonumber(latest) == has) then
  return { lineage, ARGV[1], latest, nowMs, began, {} }
end

local prefix = string.sub(KEYS[1], 1, -#'state' - 1)
local found = redis.call('ZRANGEBYSCORE', prefix .. 'changes', '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local entries = {}
for i = 1, #found, 2 do
  local entry = found[i]
  local kind = string.match(entry, '^%a+')
  local place = redis.call('ZSCORE', prefix .. kind .. 's', entry)
  entries[#entries + 1] = { entry, found[i + 1], place, redis.call('HGETALL', prefix .. kind .. ':' .. entry) }
end
return { lineage, #entries == limit and found[#found] or latest, latest, nowMs, began, entries }
