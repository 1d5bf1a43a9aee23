package bacen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Profiles returns the known banks by name, changed by a file: a JSON object that has for the
// name of a bank an object of the fields to change, such as {"bb": {"max_window": 12}}. A name
// that is not known yet adds a bank, which begins as plain API Pix. file may be empty. An unknown
// field, and a value that makes no sense, is an error that names it.
func Profiles(file []byte) (map[string]Profile, error) {
	all := make(map[string]Profile, len(own))
	for name, p := range own {
		p = p.clone()
		p.Name = name
		all[name] = p
	}
	if len(file) == 0 {
		return all, nil
	}
	changes := map[string]json.RawMessage{}
	if err := decodeStrictly(file, &changes); err != nil {
		return nil, fmt.Errorf("bacen: bank profiles: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		p, known := all[name]
		if !known {
			p = standard.clone()
			p.Name = name
		}
		p, err := p.With(changes[name])
		if err != nil {
			return nil, err
		}
		all[name] = p
	}
	return all, nil
}

// With returns the profile with the fields of a JSON object changed. Lists and texts are replaced;
// of objects such as headers only the members that are given. An unknown field is an error.
func (p Profile) With(overrides []byte) (Profile, error) {
	changed := p.clone()
	if len(overrides) > 0 {
		if err := decodeStrictly(overrides, &changed); err != nil {
			return Profile{}, fmt.Errorf("bacen: profile %s: %w", p.Name, err)
		}
	}
	if err := changed.check(); err != nil {
		return Profile{}, fmt.Errorf("bacen: profile %s: %w", p.Name, err)
	}
	return changed, nil
}

// Named returns the profile of a bank. Its error lists the names there are.
func Named(profiles map[string]Profile, name string) (Profile, error) {
	p, known := profiles[name]
	if !known {
		return Profile{}, fmt.Errorf("bacen: %q is not a bank profile; there are %s", name,
			strings.Join(slices.Sorted(maps.Keys(profiles)), ", "))
	}
	return p, nil
}

func decodeStrictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("is not the JSON expected: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has more than one JSON value")
	}
	return nil
}
