--- Forgets that a client sent a report. `prefix`: that of report:<id>, reports-of:<id>, reports-by:<client> and reporters.
local function forgetReporter(prefix, client, id)
  if client and redis.call('ZREM', prefix .. 'reports-by:' .. client, id) == 1 then
    if tonumber(redis.call('ZINCRBY', prefix .. 'reporters', -1, client)) <= 0 then
      redis.call('ZREM', prefix .. 'reporters', client)
    end
  end
end

--- Deletes a report. `reports`: the key of all; `prefix`: see above. Returns 1 if it was there.
local function dropReport(reports, prefix, id)
  local key = prefix .. 'report:' .. id
  local subject, client = unpack(redis.call('HMGET', key, 'bot', 'client'))
  redis.call('DEL', key)
  if subject then
    redis.call('ZREM', prefix .. 'reports-of:' .. subject, id)
  end
  forgetReporter(prefix, client, id)
  return redis.call('ZREM', reports, id)
end

--- Deletes the reports of a bot or a post.
local function dropReports(reports, prefix, id)
  for _, report in ipairs(redis.call('ZRANGE', prefix .. 'reports-of:' .. id, 0, -1)) do
    dropReport(reports, prefix, report)
  end
end
