package setting

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/sethvargo/go-envconfig"
)

// Variable is one environment variable, for people.
type Variable struct {
	Name, Type, Default, Help string
}

// Variables lists every variable in the order of the struct.
func Variables() []Variable {
	return variables(reflect.TypeFor[Config](), nil)
}

func variables(t reflect.Type, out []Variable) []Variable {
	for f := range t.Fields() {
		tag, ok := f.Tag.Lookup("env")
		if !ok {
			out = variables(f.Type, out)
			continue
		}
		name, def, _ := strings.Cut(tag, ", default=")
		out = append(out, Variable{Name: name, Type: typeName(f.Type), Default: def, Help: f.Tag.Get("help")})
	}
	return out
}

func typeName(t reflect.Type) string {
	switch t.String() {
	case "time.Duration":
		return "duration"
	case "setting.Secret":
		return "secret"
	case "[]string":
		return "list"
	}
	return t.String()
}

// Load reads the environment through lookup (os.LookupEnv, say). Every variable that
// can't be read is named in the error; their values are not.
func Load(ctx context.Context, lookup func(string) (string, bool)) (Config, error) {
	var c Config
	if err := process(ctx, &c, lookup); err == nil {
		return c, nil
	}
	var faults []error
	for _, v := range Variables() {
		only := func(name string) (string, bool) {
			if name != v.Name {
				return "", false
			}
			return lookup(name)
		}
		if process(ctx, new(Config), only) != nil {
			faults = append(faults, fmt.Errorf("%s: is not a %s (like %s)", v.Name, v.Type, example(v)))
		}
	}
	return c, errors.Join(faults...)
}

func example(v Variable) string {
	if v.Default != "" {
		return v.Default
	}
	return map[string]string{"bool": "true", "duration": "30s", "int": "10"}[v.Type]
}

type lookuper func(string) (string, bool)

func (l lookuper) Lookup(name string) (string, bool) {
	v, ok := l(name)
	return v, ok && v != "" // an empty variable is an unset one
}

func process(ctx context.Context, c *Config, lookup func(string) (string, bool)) error {
	return envconfig.ProcessWith(ctx, &envconfig.Config{Target: c, Lookuper: lookuper(lookup)})
}
