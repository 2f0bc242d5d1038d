-- @include prefix

--- The texts of bots in the event log. The event that announced a bot is in its hash; `texts` has each later one with an
--- envelope of a bot, as `<bot id>:<number>` with the score 0. `rewritten` has the envelopes from which an operator took
--- something away.
local texts, rewritten = prefix .. 'texts', prefix .. 'rewritten'

--- Forgets the first of these entries, which leave the log.
local function forgetTexts(entries, count)
  for i = 1, count do
    local number = string.match(entries[i][1], '^%d+')
    local bot = string.match(table.concat(entries[i][2], ' '), '"data":{"id":"([%w_]+)"')
    redis.call('ZREM', texts, (bot or '') .. ':' .. number)
    redis.call('HDEL', rewritten, number)
  end
end

--- The bounds of a bot's members of `texts`.
local function boundsOf(bot)
  return '[' .. bot .. ':', '(' .. bot .. ';'
end

--- The numbers of the events that have a bot's text. `announced`: that of the event that announced it, or false.
local function numbersOfTexts(bot, announced)
  local numbers = { announced or nil }
  for _, member in ipairs(redis.call('ZRANGEBYLEX', texts, boundsOf(bot))) do
    numbers[#numbers + 1] = string.sub(member, #bot + 2)
  end
  return numbers
end

--- Takes a bot's texts out of the log, so that they are not sent any more. `keys`: events, ids, withheld.
local function withdrawTexts(keys, bot, announced)
  for _, number in ipairs(numbersOfTexts(bot, announced)) do
    if redis.call('XDEL', keys.events, number .. '-0') == 1 then
      local event = redis.call('ZRANGEBYSCORE', keys.ids, number, number)[1]
      redis.call('ZADD', keys.withheld, number, event)
      redis.call('HDEL', rewritten, number)
    end
  end
  redis.call('ZREMRANGEBYLEX', texts, boundsOf(bot))
end

--- Entries of the log, with the envelopes that were rewritten.
local function withRewritten(entries)
  if redis.call('HLEN', rewritten) == 0 then
    return entries
  end
  for _, entry in ipairs(entries) do
    local body = redis.call('HGET', rewritten, string.match(entry[1], '^%d+'))
    for i = 1, body and #entry[2] or 0, 2 do
      if entry[2][i] == 'body' then
        entry[2][i + 1] = body
      end
    end
  end
  return entries
end

--- Puts the bot of a new event, as it is now, into the older envelopes that the log has of it, and counts that in
--- `state`.
local function rewriteTexts(keys, bot, announced, event)
  local data = string.match(event.envelope, '"data":(.*)$')
  for _, number in ipairs(numbersOfTexts(bot, announced)) do
    local entry = number ~= event.number and redis.call('XRANGE', keys.events, number .. '-0', number .. '-0')[1]
    for i = 1, entry and #entry[2] or 0, 2 do
      if entry[2][i] == 'body' then
        redis.call('HSET', rewritten, number, string.match(entry[2][i + 1], '^.-"data":') .. data)
      end
    end
  end
  redis.call('HINCRBY', keys.state, 'rewrites', 1)
end
