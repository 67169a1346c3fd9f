-- Stores a letter. KEYS: letter, index. ARGV: id, head, data.
-- No two letters of an index get one time, which is what pages go by.
local time = redis.call('TIME')
local at = time[1] * 1000000 + time[2]
local newest = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if newest[2] and tonumber(newest[2]) >= at then at = tonumber(newest[2]) + 1 end
at = string.format('%.0f', at)
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'head', ARGV[2], 'data', ARGV[3], 'at', at)
redis.call('ZADD', KEYS[2], at, ARGV[1])
return at
