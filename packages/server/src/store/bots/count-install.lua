#!lua
-- Counts an install, once per visitor and day. `urgent` stays: readers may see the count up to a second late.
--
-- KEYS  1 state  2 bot:<id>  3 changes  4 installs
-- ARGV  1 bot id  2 the visitor of this bot  3 seconds in which a visitor counts once  4 most visitors that are
--       remembered  5 days for which installs are counted by day
-- Returns  'missing', 'repeated' or 'counted'
-- @include next-change
-- @include types

--- The installs by day, the newest first, with one more today, and those of the other days that count.
local function withOneMore(stored, today)
  local installs, others = 1, ''
  for day, count in string.gmatch(stored or '', '(%d+):(%d+)') do
    local age = today - day
    if age == 0 then
      installs = count + 1
    elseif age > 0 and age < tonumber(ARGV[5]) then
      others = others .. ',' .. day .. ':' .. count
    end
  end
  return string.format('%.0f:%.0f', today, installs) .. others
end

if redis.call('HEXISTS', KEYS[2], 'id') == 0 or redis.call('HEXISTS', KEYS[2], 'state') == 1 then
  return 'missing'
end
local now = serverMs()
local before = string.format('%.0f', now - ARGV[3] * 1000)
local seen = redis.call('ZSCORE', KEYS[4], ARGV[2])
-- One that was seen later than now was seen under a clock that was ahead.
if seen and tonumber(seen) > tonumber(before) and tonumber(seen) <= now then
  return 'repeated'
end
local version, at, state = nextChange(KEYS[1])
expectType('zset', { KEYS[3] })
recordVersion(version)
redis.call('ZADD', KEYS[3], version, ARGV[1])
redis.call('ZADD', KEYS[4], string.format('%.0f', now), ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', before)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '(' .. string.format('%.0f', now), '+inf')
redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[4])
-- Without new visitors, the remembered ones expire too.
redis.call('EXPIRE', KEYS[4], ARGV[3])
redis.call('HINCRBY', KEYS[2], 'install_count', 1)
local recent = withOneMore(redis.call('HGET', KEYS[2], 'recent_installs'), math.floor(now / 86400000))
redis.call('HSET', KEYS[2], 'changed_at', at, 'recent_installs', recent)
redis.call('HSET', KEYS[1], unpack(state))
return 'counted'
