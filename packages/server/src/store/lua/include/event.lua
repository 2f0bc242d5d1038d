-- @include types
-- @include texts

--- Milliseconds since 1970 as ISO 8601, UTC, with milliseconds. Years of the Gregorian calendar are counted from March,
--- so that the leap day comes last, in eras of 400 years, which are all equally long.
local function timestamp(ms)
  local floor = math.floor
  local days = floor(ms / 86400000) + 719468
  local era = floor(days / 146097)
  local dayOfEra = days - era * 146097
  local yearOfEra = floor(
    (dayOfEra - floor(dayOfEra / 1460) + floor(dayOfEra / 36524) - floor(dayOfEra / 146096)) / 365
  )
  local dayOfYear = dayOfEra - (365 * yearOfEra + floor(yearOfEra / 4) - floor(yearOfEra / 100))
  local fromMarch = floor((5 * dayOfYear + 2) / 153)
  local day = dayOfYear - floor((153 * fromMarch + 2) / 5) + 1
  local month = fromMarch < 10 and fromMarch + 3 or fromMarch - 9
  local year = yearOfEra + era * 400 + (month <= 2 and 1 or 0)
  local ofDay = ms % 86400000
  return string.format(
    '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ',
    year,
    month,
    day,
    floor(ofDay / 3600000),
    floor(ofDay / 60000) % 60,
    floor(ofDay / 1000) % 60,
    ofDay % 1000
  )
end

--- Appends a name and its value, if it has one, to a flat list.
local function append(list, name, value)
  if value then
    list[#list + 1], list[#list + 2] = name, value
  end
end

--- A text with each occurrence of a name, which is no pattern, replaced.
local function replaced(text, name, value)
  local parts, from = {}, 1
  local first, last = string.find(text, name, 1, true)
  while first do
    parts[#parts + 1], parts[#parts + 2] = string.sub(text, from, first - 1), value
    from = last + 1
    first, last = string.find(text, name, from, true)
  end
  parts[#parts + 1] = string.sub(text, from)
  return table.concat(parts)
end

--- The event that a script gets as four arguments from this one on.
local function eventFrom(first)
  return { id = ARGV[first], type = ARGV[first + 1], isDelivered = ARGV[first + 2], envelope = ARGV[first + 3] }
end

--- Adds an event to the log, with the change of the directory that it is about. `keys`: state, events, ids, withheld.
--- `event`: number, at, id, type, isDelivered ('1' or '0'), envelope, bot, slug, withdraws, rewrites. In the envelope,
--- `slug_of_<id>` and `time_of_<id>` stand for what only the script decides; a second line, if it has one, is for
--- filters. A script calls it before all other writes, because it alone can fail.
local function addEvent(keys, event, change)
  local lineBreak = string.find(event.envelope, '\n', 1, true)
  local body = lineBreak and string.sub(event.envelope, 1, lineBreak - 1) or event.envelope
  body = replaced(body, 'time_of_' .. event.id, timestamp(tonumber(event.at)))
  if event.slug then
    body = replaced(body, 'slug_of_' .. event.id, event.slug)
  end
  local number, isDelivered = event.number, event.isDelivered == '1'
  local isFiled = event.type ~= 'bot.created' and event.type ~= 'bot.removed'
  local entry = { number .. '-0', 'id', event.id, 'type', event.type, 'at', event.at, 'body', body }
  append(entry, 'withdraws', event.withdraws)
  append(entry, 'rewrites', event.rewrites)
  append(entry, 'traces', lineBreak and string.sub(event.envelope, lineBreak + 1))
  expectType('stream', { keys.events })
  expectType('zset', { keys.ids, isFiled and texts, not isDelivered and keys.withheld })
  recordVersion(number)
  redis.call('XADD', keys.events, unpack(entry))
  local fields = { 'urgent', number, 'events', number, unpack(change) }
  append(fields, 'version', number)
  append(fields, 'announced', isDelivered and number)
  redis.call('HSET', keys.state, unpack(fields))
  redis.call('ZADD', keys.ids, number, event.id)
  if isFiled then
    redis.call('ZADD', texts, 0, event.bot .. ':' .. number)
  end
  if not isDelivered then
    redis.call('ZADD', keys.withheld, number, event.id)
  end
end
