#!lua
-- Claims what an operator has to be notified of: reports and bots that wait for approval since the last notice, and
-- submissions that blocks refused, if they were many within an hour. One process gets it; it is due again when the
-- lease ends.
--
-- KEYS  1 notices  2 reports  3 withdrawn
-- ARGV  1 lease (ms)  2 most reports, and most bots, that are named  3 how many refused submissions are many
-- Returns  nothing, or {reports of clients, reports of the service, bots that wait, refused submissions,
--          {{subject's slug or URL, reason, text}, …}, {slug, …}, the values for settle-notice}
--          The newest are named.
-- @include clock
-- @include types
-- @include prefix

local now, most = serverMs(), tonumber(ARGV[2])
local hourMs = 3600000

expectType('hash', { KEYS[1], KEYS[2] })
expectType('zset', { KEYS[3] })

local fields = { 'due_at', 'reported', 'waiting', 'refused', 'refused_before', 'refused_at' }
local dueAt, reported, waiting, total, refusedBefore, refusedAt = unpack(redis.call('HMGET', KEYS[1], unpack(fields)))
-- Nothing is due later than a day from now: the clock went back.
if now < tonumber(dueAt or '0') and tonumber(dueAt) < now + 24 * hourMs then
  return
end

--- The beginning of ids that are made at this time.
local function idAt(ms)
  local time = ''
  for _ = 1, 10 do
    local digit = ms % 32
    time = string.sub('0123456789ABCDEFGHJKMNPQRSTVWXYZ', digit + 1, digit + 1) .. time
    ms = (ms - digit) / 32
  end
  return 'rep_' .. time
end

-- A report is saved a moment after its id is made; in this very millisecond, more may be.
local since = tonumber(reported or '0')
local first, reports, own = idAt(math.max(0, since - 60000)), {}, 0
for _, name in ipairs(redis.call('HKEYS', KEYS[2])) do
  if name >= first then
    local at, text = string.match(redis.call('HGET', KEYS[2], name), '^(%d+) (.*)$')
    if at and tonumber(at) > since and tonumber(at) < now then
      local subject, client, reason = string.match(name, '^%S+ (%S+) (%S*) (%S+)')
      reports[#reports + 1] = { name = name, subject = subject, reason = reason, text = text }
      own = own + (client == 'service' and 1 or 0)
    end
  end
end

local pending = {}
local after = waiting or '0'
local found = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, 1000)
for i = 1, #found, 2 do
  local state, slug = unpack(redis.call('HMGET', prefix .. 'bot:' .. found[i], 'state', 'slug'))
  if state == 'pending' then
    table.insert(pending, 1, slug)
  end
end
waiting = found[#found] or after

local refused, counted = tonumber(total or '0') - tonumber(refusedBefore or '0'), total
if refused < tonumber(ARGV[3]) then
  refused, counted = 0, refusedBefore
end

if #reports + #pending + refused == 0 then
  if waiting ~= after then
    redis.call('HSET', KEYS[1], 'waiting', waiting)
  end
  if total and now - tonumber(refusedAt or '0') > hourMs then
    redis.call('HSET', KEYS[1], 'refused_before', total, 'refused_at', string.format('%.0f', now))
  end
  return
end

table.sort(reports, function(one, other)
  return one.name > other.name
end)
local named = {}
for i = 1, math.min(#reports, most) do
  local subject, reason, text = reports[i].subject, reports[i].reason, reports[i].text
  local isPost = string.sub(subject, 1, 5) == 'post_'
  local name = redis.call('HGET', prefix .. (isPost and 'post:' or 'bot:') .. subject, isPost and 'url' or 'slug')
  named[i] = { name or subject, reason, text }
end
redis.call('HSET', KEYS[1], 'due_at', string.format('%.0f', now + ARGV[1]))
local next = { string.format('%.0f', now - 1), waiting, counted or '0' }
return { #reports - own, own, #pending, refused, named, { unpack(pending, 1, most) }, next }
