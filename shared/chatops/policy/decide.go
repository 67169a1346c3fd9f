package policy

// Who is somebody who asks, as Chat or a sign-in names them.
type Who struct {
	Email string // as it came
	Space string // "spaces/S"; empty outside Chat
	App   bool   // not a person
}

// Role is the highest that who has, by address or by space.
func (p *Policy) Role(who Who) Role {
	if who.App {
		return p.Default
	}
	role := p.Default
	if address, ok := normal(who.Email); ok {
		role = max(role, p.emails[address])
	}
	return max(role, p.spaces[who.Space])
}

// Least is the role that a command needs: its own, or more where the file says so.
// The file can't ask for less: what destroys something needs an operator anywhere.
func (p *Policy) Least(command string, own Role) Role { return max(own, p.least[command]) }

// Confirms reports whether a command asks before it acts.
func (p *Policy) Confirms(command string) bool { return p.confirm[command] }

// normal lowers A to Z. ok is false for what matches nothing: an empty address or
// one that holds anything but printable ASCII.
func normal(address string) (lowered string, ok bool) {
	b := []byte(address)
	for i, c := range b {
		switch {
		case c <= ' ' || c > '~':
			return "", false
		case 'A' <= c && c <= 'Z':
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b), len(b) > 0
}
