// Package openapi defines the part of an OpenAPI 3.1 description that the API needs, and
// encodes it as JSON. Members keep their order, because people read the description from
// top to bottom.
//
// Names and meanings are those of the OpenAPI Specification 3.1.1; schemas are JSON Schema
// 2020-12.
package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Document is the root.
type Document struct {
	OpenAPI    string          `json:"openapi"`
	Info       Info            `json:"info"`
	Docs       ExternalDocs    `json:"externalDocs"`
	Servers    []Server        `json:"servers"`
	Security   []Requirement   `json:"security"`
	Tags       []Tag           `json:"tags"`
	Paths      Named[PathItem] `json:"paths"`
	Webhooks   Named[PathItem] `json:"webhooks"`
	Components Components      `json:"components"`
}

// Info names the described API and its version.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Summary     string  `json:"summary,omitempty"`
	Description string  `json:"description,omitempty"`
	Contact     Contact `json:"contact"`
	License     License `json:"license"`
}

// Contact is where to ask about the API.
type Contact struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// License is the license of the API. Identifier is an SPDX expression.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// ExternalDocs is documentation for people.
type ExternalDocs struct {
	Description string `json:"description,omitempty"`
	URL         string `json:"url"`
}

// Server is an address that paths are relative to.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Requirement maps a security scheme to the required roles.
type Requirement map[string][]string

// Tag groups operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// PathItem holds the operations of one path.
type PathItem struct {
	Get  *Operation `json:"get,omitempty"`
	Post *Operation `json:"post,omitempty"`
}

// Operation is one method of one path. Security is nil if the document's applies, and empty
// if no key is needed.
type Operation struct {
	OperationID string          `json:"operationId"`
	Tags        []string        `json:"tags,omitempty"`
	Summary     string          `json:"summary"`
	Description string          `json:"description,omitempty"`
	Security    *[]Requirement  `json:"security,omitempty"`
	Parameters  []Parameter     `json:"parameters,omitempty"`
	RequestBody *RequestBody    `json:"requestBody,omitempty"`
	Responses   Named[Response] `json:"responses"`
}

// Parameter is part of a path, of a query or of the headers.
type Parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema"`
	Example     any     `json:"example,omitempty"`
}

// RequestBody is what a client sends.
type RequestBody struct {
	Description string       `json:"description,omitempty"`
	Required    bool         `json:"required,omitempty"`
	Content     Named[Media] `json:"content"`
}

// Response is one answer, or a reference to one of the components.
type Response struct {
	Ref         string        `json:"$ref,omitempty"`
	Description string        `json:"description,omitempty"`
	Headers     Named[Header] `json:"headers,omitempty"`
	Content     Named[Media]  `json:"content,omitempty"`
}

// Header is one header of an answer, or a reference to one of the components.
type Header struct {
	Ref         string  `json:"$ref,omitempty"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema,omitempty"`
	Example     any     `json:"example,omitempty"`
}

// Media is a body of one media type.
type Media struct {
	Schema   *Schema        `json:"schema"`
	Examples Named[Example] `json:"examples,omitempty"`
}

// Example is one body, or a reference to one of the components.
type Example struct {
	Ref     string          `json:"$ref,omitempty"`
	Summary string          `json:"summary,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// Components are the targets of references.
type Components struct {
	SecuritySchemes Named[SecurityScheme] `json:"securitySchemes"`
	Headers         Named[Header]         `json:"headers"`
	Responses       Named[Response]       `json:"responses"`
	Examples        Named[Example]        `json:"examples"`
	Schemas         Named[*Schema]        `json:"schemas"`
}

// SecurityScheme is a way to authenticate.
type SecurityScheme struct {
	Type         string `json:"type"`
	Scheme       string `json:"scheme"`
	BearerFormat string `json:"bearerFormat,omitempty"`
	Description  string `json:"description,omitempty"`
}

// Named are members of a JSON object in their order.
type Named[V any] []Entry[V]

// Entry is one member.
type Entry[V any] struct {
	Name  string
	Value V
}

// Lookup returns the value of a name, and whether it exists.
func (n Named[V]) Lookup(name string) (v V, ok bool) {
	for _, e := range n {
		if e.Name == name {
			return e.Value, true
		}
	}
	return v, false
}

// MarshalJSON encodes an object.
func (n Named[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(e.Name)
		if err != nil {
			return nil, fmt.Errorf("openapi: member %q: %w", e.Name, err)
		}
		value, err := json.Marshal(e.Value)
		if err != nil {
			return nil, fmt.Errorf("openapi: value of %q: %w", e.Name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Resolve returns the schema that s refers to, or s itself.
func (d *Document) Resolve(s *Schema) *Schema {
	name, ok := strings.CutPrefix(s.Ref, schemaPrefix)
	if !ok {
		return s
	}
	target, ok := d.Components.Schemas.Lookup(name)
	if !ok {
		return s
	}
	return target
}

// Header returns the header that h refers to, or h itself.
func (d *Document) Header(h Header) Header {
	if name, ok := strings.CutPrefix(h.Ref, headerPrefix); ok {
		h, _ = d.Components.Headers.Lookup(name)
	}
	return h
}

// Response returns the answer that r refers to, or r itself.
func (d *Document) Response(r Response) Response {
	if name, ok := strings.CutPrefix(r.Ref, responsePrefix); ok {
		r, _ = d.Components.Responses.Lookup(name)
	}
	return r
}
