package main

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
)

// secretSettings are the names of the settings that contain secrets.
func secretSettings() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		if field.Tag.Get("secret") != "" {
			names = append(names, field.Tag.Get("env"))
		}
	}
	return names
}

// withFiles returns the environment with the secrets that files contain, as Docker and systemd
// pass them: the value of a secret setting NAME is the content of the file that NAME_FILE names,
// without a line break at the end. An empty variable counts as unset.
func withFiles(environment map[string]string) (map[string]string, error) {
	whole := maps.Clone(environment)
	for _, name := range secretSettings() {
		path := environment[name+"_FILE"]
		if path == "" {
			continue
		}
		if environment[name] != "" {
			return nil, fmt.Errorf("%s and %s_FILE are both set, and only one may be", name, name)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s_FILE: %w", name, err)
		}
		value := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
		if value == "" {
			return nil, fmt.Errorf("%s_FILE: %s is empty", name, path)
		}
		whole[name] = value
	}
	return whole, nil
}
