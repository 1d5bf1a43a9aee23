package openapi

// The functions below make the schemas that a description is mostly made of.

// Property is one member of an object.
func Property(name string, s *Schema) Entry[*Schema] { return Entry[*Schema]{Name: name, Value: s} }

// Properties are members of an object, in their order.
func Properties(members ...Entry[*Schema]) Named[*Schema] { return members }

// Answer is an object of an answer: it has all of its members and no others.
func Answer(description string, members ...Entry[*Schema]) *Schema {
	s := Body(description, nil, members...)
	for _, m := range members {
		s.Required = append(s.Required, m.Name)
	}
	return s
}

// Body is an object of a request: members with other names are refused.
func Body(description string, required []string, members ...Entry[*Schema]) *Schema {
	return &Schema{Type: Types{"object"}, Description: description, Required: required, Properties: members, AdditionalProperties: false}
}

// Text is any string.
func Text(description string) *Schema {
	return &Schema{Type: Types{"string"}, Description: description}
}

// Bounded is a string of min to max characters.
func Bounded(description string, min, max int) *Schema {
	s := Text(description)
	s.MinLength, s.MaxLength = new(min), new(max)
	return s
}

// Pattern is a string that matches a regular expression of ECMA-262.
func Pattern(pattern, description string) *Schema {
	s := Text(description)
	s.Pattern = pattern
	return s
}

// Address is an absolute URI.
func Address(description string) *Schema {
	s := Text(description)
	s.Format = "uri"
	return s
}

// Choice is one of the values.
func Choice[S ~string](description string, values ...S) *Schema {
	s := Text(description)
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// Flag is true or false.
func Flag(description string) *Schema {
	return &Schema{Type: Types{"boolean"}, Description: description}
}

// Integer is a whole number from min to max.
func Integer(description string, min, max int64) *Schema {
	return &Schema{Type: Types{"integer"}, Description: description, Minimum: new(min), Maximum: new(max)}
}

// Nullable lets s be null as well, and returns it.
func Nullable(s *Schema) *Schema {
	s.Type = append(s.Type, "null")
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}
