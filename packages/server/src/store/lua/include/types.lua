local sizes = { hash = 'HLEN', zset = 'ZCARD', set = 'SCARD', stream = 'XLEN', string = 'STRLEN' }

--- Fails if a key is of another type. A script calls it before its first write, because it cannot roll back.
local function expectType(kind, keys)
  for _, key in ipairs(keys) do
    redis.call(sizes[kind], key)
  end
end
