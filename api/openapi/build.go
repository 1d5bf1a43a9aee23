package openapi

import (
	"math"
	"slices"
)

// The functions below return the schemas that most of a description consists of.

// Property returns one member of an object.
func Property(name string, s *Schema) Entry[*Schema] { return Entry[*Schema]{Name: name, Value: s} }

// Properties returns members of an object, in their order.
func Properties(members ...Entry[*Schema]) Named[*Schema] { return members }

// Answer returns the schema of an object in an answer: it has all of these members. It may
// get others for what uses something new, so clients must accept them.
func Answer(description string, members ...Entry[*Schema]) *Schema {
	s := &Schema{Type: Types{"object"}, Description: description, Properties: members}
	for _, m := range members {
		s.Required = append(s.Required, m.Name)
	}
	return s
}

// Optional makes members of an Answer such that an object may lack them.
func Optional(answer *Schema, names ...string) *Schema {
	answer.Required = slices.DeleteFunc(answer.Required, func(name string) bool { return slices.Contains(names, name) })
	return answer
}

// Body returns the schema of an object in a request: other members are refused.
func Body(description string, required []string, members ...Entry[*Schema]) *Schema {
	return &Schema{Type: Types{"object"}, Description: description, Required: required, Properties: members,
		AdditionalProperties: false}
}

// Text returns the schema of any string.
func Text(description string) *Schema {
	return &Schema{Type: Types{"string"}, Description: description}
}

// Bounded returns the schema of a string of min to max characters.
func Bounded(description string, min, max int) *Schema {
	s := Text(description)
	s.MinLength, s.MaxLength = new(min), new(max)
	return s
}

// Pattern returns the schema of a string that matches a regular expression of ECMA-262.
func Pattern(pattern, description string) *Schema {
	s := Text(description)
	s.Pattern = pattern
	return s
}

// Address returns the schema of an absolute URI.
func Address(description string) *Schema {
	s := Text(description)
	s.Format = "uri"
	return s
}

// Choice returns the schema of one of the values.
func Choice[S ~string](description string, values ...S) *Schema {
	s := Text(description)
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// Flag returns the schema of a boolean.
func Flag(description string) *Schema {
	return &Schema{Type: Types{"boolean"}, Description: description}
}

// Integer returns the schema of a whole number from min to max. Generators of clients choose 32
// bits unless the format says that these are too few.
func Integer(description string, min, max int64) *Schema {
	s := &Schema{Type: Types{"integer"}, Description: description, Minimum: new(min), Maximum: new(max)}
	if max > math.MaxInt32 {
		s.Format = "int64"
	}
	return s
}

// Nullable makes s accept null as well, and returns it.
func Nullable(s *Schema) *Schema {
	s.Type = append(s.Type, "null")
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}
