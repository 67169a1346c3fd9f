package pull

import "sync"

// door is passed by every delivery, in and out.
type door struct {
	inside sync.RWMutex // read-locked by each delivery in work
	closed bool
}

func (d *door) enter() bool {
	d.inside.RLock()
	if d.closed {
		d.inside.RUnlock()
		return false
	}
	return true
}

func (d *door) exit() { d.inside.RUnlock() }

// shut waits until nobody is inside, and lets nobody in any more.
func (d *door) shut() {
	d.inside.Lock()
	defer d.inside.Unlock()
	d.closed = true
}
