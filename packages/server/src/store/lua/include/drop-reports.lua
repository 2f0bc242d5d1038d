--- Deletes a report. `reports`: the key of all; `prefix`: that of report:<id> and reports-of:<id>.
local function dropReport(reports, prefix, id)
  local key = prefix .. 'report:' .. id
  local subject = redis.call('HGET', key, 'bot')
  redis.call('DEL', key)
  redis.call('ZREM', reports, id)
  if subject then
    redis.call('ZREM', prefix .. 'reports-of:' .. subject, id)
  end
end

--- Deletes the reports of a bot or a post. Returns how many there were.
local function dropReports(reports, prefix, id)
  local ofOne = prefix .. 'reports-of:' .. id
  local ids = redis.call('ZRANGE', ofOne, 0, -1)
  for _, report in ipairs(ids) do
    redis.call('DEL', prefix .. 'report:' .. report)
    redis.call('ZREM', reports, report)
  end
  redis.call('DEL', ofOne)
  return #ids
end
