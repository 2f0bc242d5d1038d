local sizes = { hash = 'HLEN', zset = 'ZCARD', set = 'SCARD', stream = 'XLEN', string = 'STRLEN' }

local expected = {}

--- Fails if a key is of another type; false and nil stand for none. A script calls it for the keys that it writes,
--- before its first write, because it cannot roll back.
local function expectType(kind, keys)
  for _, key in pairs(keys) do
    if key and not expected[key] then
      redis.call(sizes[kind], key)
      expected[key] = true
    end
  end
end
