-- Creates or swaps a record and moves it to the index of its state.
-- KEYS: record, index it goes to, every other index of the bucket.
-- ARGV: id, version that must be there ('' to create), record,
--       time to expire at in microseconds (0: never), shortest time to live.
-- Answers the time of the write, or 'exists', 'absent', 'changed'.
local present = redis.call('EXISTS', KEYS[1]) == 1
if ARGV[2] == '' and present then return 'exists' end
if ARGV[2] ~= '' and not present then return 'absent' end
local version = present and redis.call('HGET', KEYS[1], 'version')
if present and version ~= ARGV[2] then return 'changed' end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local written = now
if version and tonumber(version) and tonumber(version) >= now then
  written = tonumber(version) + 1 -- the clock stood still or stepped back
end
local answer = string.format('%.0f', written)
redis.call('HSET', KEYS[1], 'version', answer, 'record', ARGV[3])

local score = answer
local expire = tonumber(ARGV[4])
if expire > 0 then
  local ttl = math.ceil(math.max(expire - now, tonumber(ARGV[5])) / 1000)
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ttl))
  score = string.format('%.0f', now + ttl * 1000)
  -- Entries past their score are of records that expired.
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
elseif ARGV[4] == '-1' then
  redis.call('PERSIST', KEYS[1])
  score = '+inf' -- in an index whose entries expire, this one does not
else
  redis.call('PERSIST', KEYS[1])
end
for i = 3, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
redis.call('ZADD', KEYS[2], score, ARGV[1])
return answer
