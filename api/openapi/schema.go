package openapi

import "encoding/json"

const (
	schemaPrefix   = "#/components/schemas/"
	headerPrefix   = "#/components/headers/"
	responsePrefix = "#/components/responses/"
	examplePrefix  = "#/components/examples/"
)

// Schema is a JSON Schema. Bounds are pointers, because zero is a bound too.
type Schema struct {
	Ref                  string         `json:"$ref,omitempty"`
	Description          string         `json:"description,omitempty"`
	Type                 Types          `json:"type,omitempty"`
	Const                any            `json:"const,omitempty"`
	Enum                 []any          `json:"enum,omitempty"`
	Format               string         `json:"format,omitempty"`
	Pattern              string         `json:"pattern,omitempty"`
	Minimum              *int64         `json:"minimum,omitempty"`
	Maximum              *int64         `json:"maximum,omitempty"`
	MinLength            *int           `json:"minLength,omitempty"`
	MaxLength            *int           `json:"maxLength,omitempty"`
	MaxItems             *int           `json:"maxItems,omitempty"`
	MaxProperties        *int           `json:"maxProperties,omitempty"`
	Default              any            `json:"default,omitempty"`
	Required             []string       `json:"required,omitempty"`
	Properties           Named[*Schema] `json:"properties,omitempty"`
	AdditionalProperties any            `json:"additionalProperties,omitempty"`
	PropertyNames        *Schema        `json:"propertyNames,omitempty"`
	Items                *Schema        `json:"items,omitempty"`
	AnyOf                []*Schema      `json:"anyOf,omitempty"`
	Examples             []any          `json:"examples,omitempty"`

	// Known lists today's values of a text that may get others later; an enum would forbid them. OpenAPI has no keyword
	// of its own for that.
	Known []string `json:"x-extensible-enum,omitempty"`
}

// Types are the allowed types of a value: "string", "integer", "object", "null".
type Types []string

// MarshalJSON encodes a single type as a string.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Ref returns a reference to a schema of the components.
func Ref(name string) *Schema { return &Schema{Ref: schemaPrefix + name} }

// RefName returns the name of the component that s refers to, or "".
func (s *Schema) RefName() string {
	if len(s.Ref) <= len(schemaPrefix) {
		return ""
	}
	return s.Ref[len(schemaPrefix):]
}

// HeaderRef returns a reference to a header of the components.
func HeaderRef(name string) Header { return Header{Ref: headerPrefix + name} }

// ResponseRef returns a reference to an answer of the components.
func ResponseRef(name string) Response { return Response{Ref: responsePrefix + name} }

// ExampleRef returns a reference to an example of the components.
func ExampleRef(name string) Example { return Example{Ref: examplePrefix + name} }
