package policy

import "fmt"

// Role is what somebody may do; each includes those before it.
type Role int

// The roles. The zero value may nothing.
const (
	Nobody   Role = iota
	Viewer        // look
	Operator      // change what runs
	Admin         // and what only few should touch
)

var names = [...]string{"nobody", "viewer", "operator", "admin"}

func (r Role) String() string {
	if r < Nobody || r > Admin {
		return fmt.Sprintf("Role(%d)", int(r))
	}
	return names[r]
}

// ParseRole reads a role's name, exactly as it is written.
func ParseRole(name string) (Role, error) {
	for i, n := range names {
		if n == name {
			return Role(i), nil
		}
	}
	return Nobody, fmt.Errorf("unknown role %q: use nobody, viewer, operator or admin", name)
}
