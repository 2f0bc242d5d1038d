#!lua flags=no-writes
-- Reads, at one instant, the store's lineage and what changed after a version. A reader that repeats it from the last
-- version it got, until fewer than `limit` entries are returned, has exactly the directory at that version.
--
-- KEYS  1 state  2 changes  3 bots  4 posts
-- ARGV  1 version that the reader has  2 lineage it is of  3 limit  4 prefix of bot:<id> and post:<id> (same slot)
--       5 1 when install counts matter now  6 offset of the clock (ms)
-- Returns  {lineage, version, latest, time, began,
--          {{id, version of its change, position in the list, hash as a flat list}, …}}
--          lineage  when it is not the reader's, the entries are those of a reader who has nothing
--          version  that the reader has now: its own, if nothing that matters has changed
--          latest   version of the store
--          time     of the store (ms)
--          began    when the first change of the lineage was made (ms), or '' before there is one
-- @include lineage

local id = lineageOfServer()
if not id then
  return redis.error_reply(isReplica)
end
local state = redis.call('HMGET', KEYS[1], 'version', 'urgent', 'epoch', 'lineage', 'began_at')
local latest, urgent, epoch = state[1] or '0', state[2] or '0', state[3] or ''
local time = redis.call('TIME')
local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[6]))
local lineage = string.sub(id, 1, 10) .. epoch
local began = state[4] == id and state[5] or ''

local has = ARGV[1]
if lineage ~= ARGV[2] or tonumber(latest) < tonumber(has) then
  has = '0'
elseif tonumber(urgent) <= tonumber(has) and (ARGV[5] ~= '1' or tonumber(latest) == tonumber(has)) then
  return { lineage, has, latest, nowMs, began, {} }
end

local limit = tonumber(ARGV[3])
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. has, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local entries = {}
for i = 1, #found, 2 do
  local entry = found[i]
  local kind = string.match(entry, '^%a+')
  local place = redis.call('ZSCORE', kind == 'bot' and KEYS[3] or KEYS[4], entry)
  entries[#entries + 1] = { entry, found[i + 1], place, redis.call('HGETALL', ARGV[4] .. kind .. ':' .. entry) }
end
return { lineage, #entries == limit and found[#found] or latest, latest, nowMs, began, entries }
