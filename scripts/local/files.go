package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// operator may run destructive commands, by policy.yaml.
const operator = "oncall@acme.example"

// writeFiles writes what the functions read from files into dir.
func (c config) writeFiles(dir, hook string) error {
	for name, text := range map[string]string{
		"groups.yaml": c.groupsYAML(),
		"policy.yaml": "default: viewer\nroles:\n  operator:\n    emails: [" + operator + "]\n",
		"tools.yaml": fmt.Sprintf(`tools:
  - name: restart-payments
    words: restart payments
    arguments: [ticket]
    brief: restarts the payment service
    url: %s
    destructive: true
    role: operator
    timeout: 2s
    allow: [127.0.0.0/8]
`, hook),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func (c config) groupsYAML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "default: %s\noverflow: %s\ngroups:\n", c.groups[0].id, overflowTopic)
	for _, g := range c.groups {
		fmt.Fprintf(&b, "  - id: %s\n    open: %t\n    queues:\n", g.id, g.customer == "")
		for _, name := range queueNames {
			fmt.Fprintf(&b, "      - name: %s\n        rate: %v\n        weight: 0.25\n", name, g.rate)
		}
		if g.customer != "" {
			fmt.Fprintf(&b, "    reservation:\n      customers: [%s]\n      note: sample reservation\n", g.customer)
		}
	}
	return b.String()
}
