#!lua
-- Replaces subscriptions of webhooks. One that is asleep wakes, because others of its events may follow; all others
-- stay where they are. One whose subscription has changed meanwhile is left out.
--
-- KEYS  those of `webhookKeys`, in its order   (all of one partition)
-- ARGV  1 … for each webhook: its id, the subscription and topics that it has, and those that it gets
-- Returns  how many changed
-- @include webhook

local keys = webhookKeys(KEYS)
expectWebhookTypes(keys)

local changed = 0
for i = 1, #ARGV, 3 do
  local id = ARGV[i]
  if redis.call('HGET', keys.subscriptions, id) == ARGV[i + 1] then
    if redis.call('ZSCORE', keys.asleep, id) then
      redis.call('ZADD', keys.own.cursor, positionOf(keys, id), id)
      redis.call('ZREM', keys.asleep, id)
    end
    dropSubscription(keys, id)
    setSubscription(keys, id, ARGV[i + 2])
    changed = changed + 1
  end
end
return changed
