package strict

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/yaml"
)

// message parses YAML into a protocol buffer.
func message(text []byte, m proto.Message) error {
	j, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return fmt.Errorf("read YAML: %w", err)
	}
	return protojson.UnmarshalOptions{}.Unmarshal(j, m)
}

// object parses YAML into a type of a REST API.
func object(text []byte, v any) error {
	j, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return fmt.Errorf("read YAML: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(j))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
