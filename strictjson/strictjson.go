// Package strictjson reads the bodies of API requests. It accepts RFC 8259 and no
// more: valid UTF-8, no member named twice, nothing after the value, at most
// MaxDepth levels. Numbers stay the text that was sent, so that no amount passes
// through a float.
package strictjson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"garoupa/wire"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 32

// Kind is the type of a value.
type Kind byte

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind the way messages to clients do.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Value is one JSON value.
type Value struct {
	Kind    Kind
	Text    string   // String: decoded. Number, Bool: as sent
	Items   []Value  // of an Array
	Members []Member // of an Object, in the order sent
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Lookup returns the member's value. It reports false if there is none.
func (v *Value) Lookup(name string) (*Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value, true
		}
	}
	return nil, false
}

// Parse reads body as one value. The error says what is malformed and where, and
// repeats nothing of the body but a member's name.
func Parse(body []byte) (Value, error) {
	if !utf8.Valid(body) {
		return Value{}, errors.New("the body is not valid UTF-8")
	}
	p := parser{body: body}
	v, err := p.value(1)
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.at < len(body) {
		return Value{}, fmt.Errorf("unexpected data after the value, at byte %d", p.at+1)
	}
	return v, nil
}

// AppendCanonical appends v in the form that two equal bodies share: members
// sorted by name at every depth, no spaces, strings escaped one way, numbers as
// they were sent (decisions, 3).
func (v *Value) AppendCanonical(dst []byte) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.Text...)
	case String:
		return wire.AppendString(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Items[i].AppendCanonical(dst)
		}
		return append(dst, ']')
	}
	sorted := slices.Clone(v.Members)
	slices.SortFunc(sorted, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	dst = append(dst, '{')
	for i := range sorted {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, sorted[i].Name), ':')
		dst = sorted[i].Value.AppendCanonical(dst)
	}
	return append(dst, '}')
}

type parser struct {
	body []byte
	at   int
}

func (p *parser) space() {
	for p.at < len(p.body) {
		switch p.body[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek skips space and returns the next byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.space(); p.at < len(p.body) {
		return p.body[p.at]
	}
	return 0
}

func (p *parser) unexpected() error {
	if p.at >= len(p.body) {
		return errors.New("the body ends too early")
	}
	return fmt.Errorf("unexpected character at byte %d", p.at+1)
}

func (p *parser) value(depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, fmt.Errorf("the body nests deeper than %d levels", MaxDepth)
	}
	switch b := p.peek(); {
	case b == '{':
		return p.object(depth)
	case b == '[':
		return p.array(depth)
	case b == '"':
		text, err := p.text()
		return Value{Kind: String, Text: text}, err
	case b == '-' || b >= '0' && b <= '9':
		return p.number()
	}
	for _, word := range []struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if bytes.HasPrefix(p.body[p.at:], []byte(word.text)) {
			p.at += len(word.text)
			return Value{Kind: word.kind, Text: word.text}, nil
		}
	}
	return Value{}, p.unexpected()
}

func (p *parser) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	p.at++
	if p.peek() == '}' {
		p.at++
		return v, nil
	}
	seen := map[string]bool{}
	for {
		if p.peek() != '"' {
			return Value{}, p.unexpected()
		}
		name, err := p.text()
		if err != nil {
			return Value{}, err
		}
		if seen[name] {
			return Value{}, fmt.Errorf("the member %.40q stands twice", name)
		}
		seen[name] = true
		if p.peek() != ':' {
			return Value{}, p.unexpected()
		}
		p.at++
		member, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Members = append(v.Members, Member{Name: name, Value: member})
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return v, nil
		default:
			return Value{}, p.unexpected()
		}
	}
}

func (p *parser) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	p.at++
	if p.peek() == ']' {
		p.at++
		return v, nil
	}
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return v, nil
		default:
			return Value{}, p.unexpected()
		}
	}
}
