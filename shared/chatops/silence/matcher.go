package silence

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"onceway.internal/shared/chatops"
)

// matcher is one condition on an alert's labels, in the API's form.
type matcher struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	IsRegex bool   `json:"isRegex"`
	IsEqual bool   `json:"isEqual"`
}

var (
	matcherForm = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)(=~|!~|!=|=)(.*)$`)
	glued       = regexp.MustCompile(`,[a-zA-Z_][a-zA-Z0-9_]*(=~|!~|!=|=)`)
)

// parseMatchers reads words such as severity=~"page|warn"; the braces and commas
// of Prometheus may be there.
func parseMatchers(words []string) ([]matcher, error) {
	var all []matcher
	narrow := false
	for i, w := range words {
		if i == 0 {
			w = strings.TrimPrefix(w, "{")
		}
		if i == len(words)-1 {
			w = strings.TrimSuffix(w, "}")
		}
		if w = strings.TrimSuffix(w, ","); w == "" {
			continue
		}
		m, err := parseMatcher(w)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
		empty, err := m.matches("")
		if err != nil {
			return nil, err
		}
		narrow = narrow || !empty
	}
	if len(all) == 0 {
		return nil, errors.New("the matchers are missing, such as alertname=PaymentsDown")
	}
	if !narrow {
		return nil, errors.New("that would silence everything: one matcher must ask for a label that is there")
	}
	return all, nil
}

func parseMatcher(w string) (matcher, error) {
	parts := matcherForm.FindStringSubmatch(w)
	if parts == nil {
		return matcher{}, fmt.Errorf("%s is not a matcher such as alertname=PaymentsDown, without spaces around the =", chatops.Quote(w))
	}
	if glued.MatchString(w) {
		return matcher{}, fmt.Errorf("put a space between the matchers in %s", chatops.Quote(w))
	}
	return matcher{
		Name: parts[1], Value: parts[3],
		IsRegex: strings.HasSuffix(parts[2], "~"), IsEqual: strings.HasPrefix(parts[2], "="),
	}, nil
}

// matches reports whether a label with this value, or none for "", is matched.
func (m matcher) matches(value string) (bool, error) {
	if !m.IsRegex {
		return (m.Value == value) == m.IsEqual, nil
	}
	re, err := regexp.Compile("^(?:" + m.Value + ")$")
	if err != nil {
		return false, fmt.Errorf("%s is not a regular expression", chatops.Quote(m.Value))
	}
	return re.MatchString(value) == m.IsEqual, nil
}

func (m matcher) String() string {
	operator := map[bool]map[bool]string{true: {true: "=~", false: "="}, false: {true: "!~", false: "!="}}[m.IsEqual][m.IsRegex]
	return m.Name + operator + m.Value
}
