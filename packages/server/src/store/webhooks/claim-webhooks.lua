#!lua flags=allow-oom
-- Leases webhooks that have events to be sent. If it cannot take all that are behind, it takes half from the least
-- behind, which are missing only new events, and half from the furthest. Of those with a backlog (expired leases,
-- elapsed waits, and runs that yielded), it takes the least recently served first.
--
-- On balance it frees as much memory as it takes, so it may run when the store is full.
--
-- KEYS  1 cursor  2 yielded  3 leased  4 waiting  5 targets  6 taken  7 failures  8 secrets   (all of one queue)
--       9 subscriptions, if its webhooks have any
-- ARGV  1 number of the last event  2 most to lease  3 most of them with a backlog  4 how long the leases run (ms)
--       5 their token  6 1 when the last claim under this token had no reply
-- Returns  {due, behind, backlog, empty, ids, urls, cursors, failures, secrets, subscriptions}
--          due       in how many ms the next lease or wait ends, or ''
--          behind    1 when there may be others that are behind
--          backlog   1 when there may be others with a backlog that could be leased now
--          empty     1 when all webhooks of the queue are stopped or asleep
--          ids …     one element for each lease; failures, secrets and subscriptions as they are stored, or false
-- @include clock

local now = serverMs()
local head, most, mostBacklog, token = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[5]
local below = '(' .. head
local ids, cursors = {}, {}

--- The most arguments that `unpack` is given.
local chunk = 1000

local function eachChunk(list, use)
  for i = 1, #list, chunk do
    use(#list <= chunk and list or { unpack(list, i, math.min(i + chunk - 1, #list)) })
  end
end

--- Takes ids out of a sorted set; their cursors stand in `taken`.
local function take(key, some)
  eachChunk(some, function(part)
    redis.call('ZREM', key, unpack(part))
    for i, stored in ipairs(redis.call('HMGET', KEYS[6], unpack(part))) do
      ids[#ids + 1] = part[i]
      cursors[#cursors + 1] = stored and string.match(stored, '^%d+') or head
    end
  end)
end

--- Takes the first `count` ids up to a score out of a sorted set. Returns how many there were.
local function takeFirst(key, score, count)
  local some = count > 0 and redis.call('ZRANGEBYSCORE', key, '-inf', score, 'LIMIT', 0, count) or {}
  take(key, some)
  return #some
end

--- Takes webhooks that are behind, with their cursors: by rank, the first is the furthest behind.
local function takeBehind(first, last)
  local found = redis.call('ZRANGE', KEYS[1], first, last, 'WITHSCORES')
  redis.call('ZREMRANGEBYRANK', KEYS[1], first, last)
  for i = 1, #found, 2 do
    ids[#ids + 1], cursors[#cursors + 1] = found[i], found[i + 1]
  end
end

if ARGV[6] == '1' then
  eachChunk(redis.call('ZRANGE', KEYS[3], 0, -1), function(part)
    local unanswered = {}
    for i, stored in ipairs(redis.call('HMGET', KEYS[6], unpack(part))) do
      if stored and string.match(stored, ':(.*)$') == token then
        unanswered[#unanswered + 1] = part[i]
      end
    end
    take(KEYS[3], unanswered)
  end)
end

--- When the first of a sorted set is due.
local function firstDue(key)
  return tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]) or math.huge
end

local firstLeased, firstWaiting = firstDue(KEYS[3]), firstDue(KEYS[4])
local due = 0
if math.min(firstLeased, firstWaiting) <= now then
  due = redis.call('ZCOUNT', KEYS[3], '-inf', now) + redis.call('ZCOUNT', KEYS[4], '-inf', now)
end
local yielded = redis.call('ZCARD', KEYS[2])
local behind = redis.call('ZCOUNT', KEYS[1], '-inf', below)

-- Neither kind takes more than half of what the other could use.
local backlog = math.min(due + yielded, mostBacklog, math.max(most - behind, math.floor(most / 2)))
local dueShare = math.min(due, math.max(backlog - yielded, math.ceil(backlog / 2)))
if dueShare > 0 then
  takeFirst(KEYS[4], now, dueShare - takeFirst(KEYS[3], now, dueShare))
  firstLeased, firstWaiting = firstDue(KEYS[3]), firstDue(KEYS[4])
end
takeFirst(KEYS[2], '+inf', backlog - dueShare)

local behindShare = math.min(behind, most - backlog)
local furthest = behindShare < behind and math.floor(behindShare / 2) or 0
if behindShare > furthest then
  takeBehind(behind - behindShare + furthest, behind - 1)
end
if furthest > 0 then
  takeBehind(0, furthest - 1)
end

local expires = now + ARGV[4]
if #ids > 0 then
  firstLeased = math.min(firstLeased, expires)
end
local score = string.format('%.0f', expires)
for first = 1, #ids, chunk do
  local leases, holders = {}, {}
  for i = first, math.min(first + chunk - 1, #ids) do
    leases[#leases + 1], leases[#leases + 2] = score, ids[i]
    holders[#holders + 1], holders[#holders + 2] = ids[i], cursors[i] .. ':' .. token
  end
  redis.call('ZADD', KEYS[3], unpack(leases))
  redis.call('HSET', KEYS[6], unpack(holders))
end

--- What is stored for each id under a key, or false.
local function storedIn(key)
  if #ids > 0 and #ids <= chunk then
    return redis.call('HMGET', key, unpack(ids))
  end
  local all = {}
  eachChunk(ids, function(part)
    for _, stored in ipairs(redis.call('HMGET', key, unpack(part))) do
      all[#all + 1] = stored
    end
  end)
  return all
end

local nextDue = math.min(firstLeased, firstWaiting) - now
return {
  nextDue == math.huge and '' or string.format('%.0f', math.max(0, nextDue)),
  behindShare < behind and 1 or 0,
  backlog < due + yielded and 1 or 0,
  nextDue == math.huge and redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]) == 0 and 1 or 0,
  ids,
  storedIn(KEYS[5]),
  cursors,
  storedIn(KEYS[7]),
  storedIn(KEYS[8]),
  KEYS[9] and storedIn(KEYS[9]),
}
