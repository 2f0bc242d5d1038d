#!lua flags=allow-oom
-- Saves the results of leases, in groups that differ only in their ids. Settling a lease that was lost, or whose
-- webhook was removed, has no effect. A lease that is kept may be settled twice, after a lost reply.
--
-- It takes memory only for attempts, of which it keeps ten a webhook, so it may run when the store is full.
--
-- KEYS  1 cursor  2 yielded  3 leased  4 waiting  5 taken  6 failures  7 stopped
--       8 skipped  9 attempts   (all of one partition)
-- ARGV  for each group: kind, token, cursor, duration (ms), failures, skipped, ids joined by commas, each
--       followed by `:` and its attempt, if there was one
--         advance  they have the events up to cursor, and nothing is left to send now
--         yield    they have the events up to cursor, and are at the end of the line for the others
--         keep     they have the events up to cursor, and more follow; the lease runs for `duration` from now
--         wait     they are tried again after `duration`
--         stop     they are not called again
--       `failures` is stored as it is, with the time for those that stop; '-' forgets what is stored, and '' leaves it
--       `skipped` is '', or an event that was given up, as `<event id>:<category>`
-- Returns  for each id, in order, the digit 1, or 0 when its lease was lost
-- @include clock

local now = serverMs()
local settled = {}

--- Returns the ids whose lease has this token, with their attempts, and notes for each id whether it has.
local function held(joined, token)
  local ids, attempts, found, tried = {}, {}, {}, {}
  for id, attempt in string.gmatch(joined, '([^,:]+):?([^,]*)') do
    ids[#ids + 1], attempts[#ids + 1] = id, attempt
  end
  for i, stored in ipairs(redis.call('HMGET', KEYS[5], unpack(ids))) do
    local holds = stored and string.match(stored, ':(.*)$') == token
    settled[#settled + 1] = holds and 1 or 0
    if holds then
      found[#found + 1] = ids[i]
      tried[#found] = attempts[i]
    end
  end
  return found, tried
end

--- `value, id, value, id, …`, or with `idFirst` the other way round.
local function paired(ids, value, idFirst)
  local pairs = {}
  for i, id in ipairs(ids) do
    pairs[2 * i - 1], pairs[2 * i] = idFirst and id or value, idFirst and value or id
  end
  return unpack(pairs)
end

--- How many skipped events of a webhook are kept.
local keptSkips = 10

--- Adds an event to those that were skipped, the newest first.
local function addSkipped(id, event)
  local all, count = { event .. ':' .. string.format('%.0f', now) }, 1
  for old in string.gmatch(redis.call('HGET', KEYS[8], id) or '', '%S+') do
    if count < keptSkips and string.sub(old, 1, #event + 1) ~= event .. ':' then
      count = count + 1
      all[count] = old
    end
  end
  redis.call('HSET', KEYS[8], id, table.concat(all, ' '))
end

--- The length of the attempts that are kept of a webhook: ten, each with its time.
local keptAttempts = 10 * 21

--- Adds an attempt to those of each webhook that made one, the newest first.
local function addAttempts(ids, attempts)
  local made, entries = {}, {}
  for i, id in ipairs(ids) do
    if attempts[i] ~= '' then
      made[#made + 1], entries[2 * #made + 1], entries[2 * #made + 2] = id, id, attempts[i]
    end
  end
  if #made == 0 then
    return
  end
  local at = string.format('%013.0f', now)
  for i, old in ipairs(redis.call('HMGET', KEYS[9], unpack(made))) do
    entries[2 * i] = string.sub(at .. entries[2 * i] .. (old or ''), 1, keptAttempts)
  end
  redis.call('HSET', KEYS[9], unpack(entries))
end

local function settle(ids, kind, token, cursor, duration, failures)
  if kind == 'keep' then
    redis.call('ZADD', KEYS[3], paired(ids, now + duration))
  else
    redis.call('ZREM', KEYS[3], unpack(ids))
  end
  if kind == 'advance' then
    redis.call('HDEL', KEYS[5], unpack(ids))
    redis.call('ZADD', KEYS[1], paired(ids, cursor))
  else
    redis.call('HSET', KEYS[5], paired(ids, kind == 'keep' and cursor .. ':' .. token or cursor, true))
  end
  if kind == 'yield' then
    redis.call('ZADD', KEYS[2], paired(ids, now))
  elseif kind == 'wait' then
    redis.call('ZADD', KEYS[4], paired(ids, now + duration))
  elseif kind == 'stop' then
    redis.call('SADD', KEYS[7], unpack(ids))
    failures = failures .. string.format(':stopped %.0f', now)
  end
  if failures == '-' then
    redis.call('HDEL', KEYS[6], unpack(ids))
  elseif failures ~= '' then
    redis.call('HSET', KEYS[6], paired(ids, failures, true))
  end
end

for at = 1, #ARGV, 7 do
  local kind, token, cursor, duration, failures, skipped, joined = unpack(ARGV, at, at + 6)
  local ids, attempts = held(joined, token)
  if #ids > 0 then
    settle(ids, kind, token, cursor, duration, failures)
    addAttempts(ids, attempts)
    for _, id in ipairs(skipped == '' and {} or ids) do
      addSkipped(id, skipped)
    end
  end
end
return table.concat(settled)
