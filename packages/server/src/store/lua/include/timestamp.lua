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
