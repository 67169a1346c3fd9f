package redisclaim

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/write.lua
	writeLua string
	//go:embed lua/read.lua
	readLua string
	//go:embed lua/put.lua
	putLua string
	//go:embed lua/delete.lua
	deleteLua string
)

// scripts run by hash; the client sends the text again to a server that has
// forgotten it.
type scripts struct{ write, read, put, delete *redis.Script }

func newScripts() scripts {
	return scripts{
		write:  redis.NewScript(writeLua),
		read:   redis.NewScript(readLua),
		put:    redis.NewScript(putLua),
		delete: redis.NewScript(deleteLua),
	}
}
