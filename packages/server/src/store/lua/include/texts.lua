-- @include prefix

--- The texts of bots in the event log: `texts` has each event with an envelope of a bot, as `<bot id>:<number>` with the
--- score 0, and `rewritten` the envelopes from which an operator took something away.
local texts, rewritten = prefix .. 'texts', prefix .. 'rewritten'

--- Fails before anything is written if one of the keys has another type.
local function expectTextTypes()
  expectType('zset', { texts })
  expectType('hash', { rewritten })
end

--- Notes that an event has a bot's text.
local function fileText(bot, number)
  redis.call('ZADD', texts, 0, bot .. ':' .. number)
end

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

--- The numbers of the events that have a bot's text.
local function numbersOfTexts(bot)
  local numbers = {}
  for i, member in ipairs(redis.call('ZRANGEBYLEX', texts, boundsOf(bot))) do
    numbers[i] = string.sub(member, #bot + 2)
  end
  return numbers
end

--- Takes a bot's texts out of the log, so that they are not sent any more. `keys`: events, ids, withheld. `announced`:
--- the number of the event that published it, or nil; a server of 1.0.0 did not file it.
local function withdrawTexts(keys, bot, announced)
  local numbers = numbersOfTexts(bot)
  numbers[#numbers + 1] = announced or nil
  for _, number in ipairs(numbers) do
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
local function rewriteTexts(keys, bot, event)
  local data = string.match(event.envelope, '"data":(.*)$')
  for _, number in ipairs(numbersOfTexts(bot)) do
    local entry = number ~= event.number and redis.call('XRANGE', keys.events, number .. '-0', number .. '-0')[1]
    for i = 1, entry and #entry[2] or 0, 2 do
      if entry[2][i] == 'body' then
        redis.call('HSET', rewritten, number, string.match(entry[2][i + 1], '^.-"data":') .. data)
      end
    end
  end
  redis.call('HINCRBY', keys.state, 'rewrites', 1)
end
