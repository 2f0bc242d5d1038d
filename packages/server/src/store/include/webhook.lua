-- @include types

--- Names the keys of one webhook: urls, hosts, domains, targets, secrets, taken, failures, skipped, subscriptions, topics,
--- asleep, watermark, registrants, attempts; and two queues, `common` and `own`, each with cursor, yielded, leased, waiting and
--- stopped.
local function webhookKeys(keys)
  local names = {
    'urls',
    'hosts',
    'domains',
    'targets',
    'secrets',
    'taken',
    'failures',
    'skipped',
    'subscriptions',
    'topics',
    'asleep',
    'watermark',
    'registrants',
    'attempts',
  }
  local found = { common = {}, own = {} }
  for i, name in ipairs(names) do
    found[name] = keys[i]
  end
  for i, name in ipairs({ 'cursor', 'yielded', 'leased', 'waiting', 'stopped' }) do
    found.common[name], found.own[name] = keys[#names + i], keys[#names + 5 + i]
  end
  return found
end

--- The queue that a webhook is in.
local function queueOf(keys, id)
  return redis.call('HEXISTS', keys.subscriptions, id) == 1 and keys.own or keys.common
end

--- Number of the last event that a webhook has.
local function positionOf(keys, id)
  local stored = redis.call('HGET', keys.taken, id)
  if stored then
    return string.match(stored, '^%d+')
  end
  local asleep = redis.call('ZSCORE', keys.asleep, id)
  if not asleep then
    return redis.call('ZSCORE', queueOf(keys, id).cursor, id)
  end
  local watermark = redis.call('GET', keys.watermark) or '0'
  return tonumber(watermark) > tonumber(asleep) and watermark or asleep
end

--- Takes a webhook out of its queue. A lease is lost.
local function leave(keys, id)
  local queue = queueOf(keys, id)
  redis.call('SREM', queue.stopped, id)
  for _, key in ipairs({ queue.cursor, queue.yielded, queue.leased, queue.waiting, keys.asleep }) do
    redis.call('ZREM', key, id)
  end
  for _, key in ipairs({ keys.taken, keys.failures }) do
    redis.call('HDEL', key, id)
  end
end

--- Passes to `use` the members of the topics under which a subscription stands.
local function eachTopic(subscription, id, use)
  for topic in string.gmatch(subscription, '\n([^\n]+)') do
    use(topic .. '\n' .. id)
  end
end

--- Forgets the subscription of a webhook that is in no queue.
local function dropSubscription(keys, id)
  local subscription = redis.call('HGET', keys.subscriptions, id)
  if subscription then
    eachTopic(subscription, id, function(member)
      redis.call('ZREM', keys.topics, member)
    end)
    redis.call('HDEL', keys.subscriptions, id)
  end
end

--- Gives a webhook that is in no queue a subscription of its own.
local function setSubscription(keys, id, subscription)
  redis.call('HSET', keys.subscriptions, id, subscription)
  eachTopic(subscription, id, function(member)
    redis.call('ZADD', keys.topics, 0, member)
  end)
end

--- Fails before anything is written if one of the keys has another type.
local function expectWebhookTypes(keys)
  expectType('hash', { keys.urls, keys.hosts, keys.domains, keys.targets, keys.secrets, keys.taken })
  expectType('hash', { keys.failures, keys.skipped, keys.subscriptions, keys.registrants })
  expectType('hash', { keys.attempts })
  expectType('zset', { keys.topics, keys.asleep })
  expectType('string', { keys.watermark })
  for _, queue in ipairs({ keys.common, keys.own }) do
    expectType('zset', { queue.cursor, queue.yielded, queue.leased, queue.waiting })
    expectType('set', { queue.stopped })
  end
end
