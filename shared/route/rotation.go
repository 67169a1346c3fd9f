package route

import "maps"

// Rotation is smooth weighted round robin: over any stretch each ID comes as
// often as its share says, spread evenly. The set may change between calls. It
// begins at a random point, so that processes started together do not all begin
// with the same group. Not safe for concurrent use.
type Rotation struct {
	credit map[string]float64
}

// NewRotation returns one that has not begun.
func NewRotation() *Rotation { return &Rotation{credit: make(map[string]float64)} }

func (r *Rotation) clone() *Rotation { return &Rotation{credit: maps.Clone(r.credit)} }

// Next answers with the index whose turn it is; weights are over 0.
func (r *Rotation) Next(ids []string, weights []float64, rand func() float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	best := 0
	for i, id := range ids {
		c, known := r.credit[id]
		if !known {
			c = rand() - 0.5
		}
		r.credit[id] = c + weights[i]/total
		if r.credit[id] > r.credit[ids[best]] {
			best = i
		}
	}
	r.credit[ids[best]]--
	return best
}
