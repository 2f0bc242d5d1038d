-- @include prefix

--- Forgets that a client sent a report.
local function forgetReporter(client, id)
  if client and redis.call('ZREM', prefix .. 'reports-by:' .. client, id) == 1 then
    if tonumber(redis.call('ZINCRBY', prefix .. 'reporters', -1, client)) <= 0 then
      redis.call('ZREM', prefix .. 'reporters', client)
    end
  end
end

--- Deletes a report. `reports`: the key of all. Returns 1 if it was there.
local function dropReport(reports, id)
  local key = prefix .. 'report:' .. id
  local subject, client = unpack(redis.call('HMGET', key, 'bot', 'client'))
  redis.call('DEL', key)
  if subject then
    redis.call('ZREM', prefix .. 'reports-of:' .. subject, id)
  end
  forgetReporter(client, id)
  return redis.call('ZREM', reports, id)
end

--- Deletes the reports of a bot or a post.
local function dropReports(reports, id)
  for _, report in ipairs(redis.call('ZRANGE', prefix .. 'reports-of:' .. id, 0, -1)) do
    dropReport(reports, report)
  end
end
