--- Adds a line to the audit log, or to a log like it. The first three arguments of the script are the most lines of the
--- log, the operator, and the command's words.
local function addAuditLine(log, line)
  redis.call('XADD', log, 'MAXLEN', '~', ARGV[1], '*', 'at', line.at, 'by', ARGV[2], 'action', line.action,
    'reason', line.reason or '', 'command', ARGV[3], 'count', line.count or 0, 'bots', table.concat(line.bots or {}, ','))
end
