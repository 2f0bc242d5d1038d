#!lua flags=allow-oom
-- Deletes reports that are too old.
--
-- KEYS  1 reports
-- ARGV  1 how long reports are kept (ms)
-- @include clock

local before = serverMs() - tonumber(ARGV[1])
for _, report in ipairs(redis.call('HKEYS', KEYS[1])) do
  if tonumber(string.match(redis.call('HGET', KEYS[1], report), '^%d+')) < before then
    redis.call('HDEL', KEYS[1], report)
  end
end
