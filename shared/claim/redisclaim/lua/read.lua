-- Reads records of one bucket. KEYS: the records.
-- Answers the server's time in microseconds, then for each: whether it is there,
-- version, record. What is no hash is there, without the others.
local time = redis.call('TIME')
local answer = { time[1] .. string.sub('00000' .. time[2], -6) }
for _, key in ipairs(KEYS) do
  local fields = redis.pcall('HMGET', key, 'version', 'record')
  if fields.err then fields = { false, false } end
  answer[#answer + 1] = { redis.call('EXISTS', key), fields[1], fields[2] }
end
return answer
