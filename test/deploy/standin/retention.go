package standin

import (
	"encoding/json"
	"strings"
	"time"
)

// The emulator keeps messages for seven days at most, Google for 31: what is longer is
// remembered here and put back into what the emulator says.
const longest = 7 * 24 * time.Hour

// bounded is a request's body as the emulator takes it.
func (s *Server) bounded(path string, body []byte) []byte {
	var d Doc
	if !strings.Contains(path, "/subscriptions/") || json.Unmarshal(body, &d) != nil {
		return body
	}
	sub := d
	if in, ok := d["subscription"].(Doc); ok {
		sub = in
	}
	text, ok := sub["messageRetentionDuration"].(string)
	if !ok {
		return body
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, path)
	if v, err := time.ParseDuration(text); err == nil && v > longest {
		s.kept[path] = text
		sub["messageRetentionDuration"] = "604800s"
	}
	out, err := json.Marshal(d)
	if err != nil {
		return body
	}
	return out
}

// unbounded is the emulator's answer with what was asked for.
func (s *Server) unbounded(answer []byte) []byte {
	var d Doc
	if json.Unmarshal(answer, &d) != nil {
		return answer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	put := func(x any) {
		if sub, ok := x.(Doc); ok {
			name, _ := sub["name"].(string)
			if v := s.kept[name]; v != "" {
				sub["messageRetentionDuration"] = v
			}
		}
	}
	put(d)
	if all, ok := d["subscriptions"].([]any); ok {
		for _, x := range all {
			put(x)
		}
	}
	out, err := json.Marshal(d)
	if err != nil {
		return answer
	}
	return out
}
