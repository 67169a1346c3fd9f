-- Creates or swaps a record and moves it to the index of its state.
-- KEYS: record, index it goes to; for a swap every other index of the bucket too.
-- ARGV: id, version that must be there ('' to create), record, its state ('' if it
--       is none), time to expire at in microseconds (0: never; -1: the record never,
--       though its state may), shortest time to live.
-- Answers the time of the write, or 'absent', 'changed'; a create that finds
-- something answers as read.lua does of it.
-- Times of one length are compared as texts: printing numbers is most of the work.
local time = redis.call('TIME')
local now = time[1] .. string.sub('00000' .. time[2], -6)
local version, was = false, false
if ARGV[2] == '' then
  if redis.call('EXISTS', KEYS[1]) == 1 then
    local found = redis.pcall('HMGET', KEYS[1], 'version', 'record')
    if found.err then found = { false, false } end
    return { now, { 1, found[1], found[2] } }
  end
else
  local found = redis.call('HMGET', KEYS[1], 'version', 'place')
  version = found[1]
  if version ~= ARGV[2] then
    if not version and redis.call('EXISTS', KEYS[1]) == 0 then return 'absent' end
    return 'changed'
  end
  -- Whoever writes no place (an earlier version of this script) leaves an old one, with
  -- another version in front.
  local place = found[2]
  if place and string.sub(place, 1, #version + 1) == version .. ' ' then
    was = string.sub(place, #version + 2)
  end
end

local written = now
if version and #version == #now and version >= now and tonumber(version) then
  written = string.format('%.0f', tonumber(version) + 1) -- the clock stood still or stepped back
end
redis.call('HSET', KEYS[1], 'version', written, 'record', ARGV[3], 'place', written .. ' ' .. ARGV[4])

local score = written
local expire = tonumber(ARGV[5])
if expire > 0 then
  local soonest = tonumber(now) + tonumber(ARGV[6])
  score = ARGV[5]
  if expire < soonest then score = string.format('%.0f', soonest) end
  redis.call('PEXPIREAT', KEYS[1], string.sub(score, 1, -4))
  -- Entries past their score are of records that expired.
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
else
  if expire == -1 then score = '+inf' end -- in an index whose entries expire, this one does not
  if version then redis.call('PERSIST', KEYS[1]) end
end
if was then
  local index = string.sub(KEYS[2], 1, -#ARGV[4] - 1) .. was -- one of KEYS
  if index ~= KEYS[2] then redis.call('ZREM', index, ARGV[1]) end
else
  for i = 3, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
end
redis.call('ZADD', KEYS[2], score, ARGV[1])
return written
