-- Removes a letter. KEYS: letter, index. ARGV: id.
redis.call('DEL', KEYS[1])
return redis.call('ZREM', KEYS[2], ARGV[1])
