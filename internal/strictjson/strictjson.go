// Package strictjson parses the bodies of API requests. It accepts exactly RFC 8259: valid
// UTF-8, no duplicate members, nothing after the value, at most MaxDepth levels. Numbers
// keep the text that was sent, so that no amount passes through a float.
package strictjson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"garoupa/internal/payload"
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

// String returns the name of the kind for messages to clients.
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

// Lookup returns the value of the object's member, and false if there is none.
func (v *Value) Lookup(name string) (*Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value, true
		}
	}
	return nil, false
}

// Parse parses body as one value. The error is for clients: it says what is malformed and
// where, and of the body repeats only the name of a member.
func Parse(body []byte) (Value, error) {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	r.body = *bytes.NewBuffer(body)
	r.Reset(&r.body)
	v, err := r.value(1)
	if err == nil {
		if rest := bytes.TrimLeft(body[r.InputOffset():], " \t\r\n"); len(rest) > 0 {
			err = fmt.Errorf("unexpected data after the value, at byte %d", len(body)-len(rest)+1)
		}
	}
	if err != nil {
		return Value{}, explain(body, err)
	}
	return v, nil
}

// AppendCanonical appends the canonical form of v, in which equal bodies have the same bytes:
// members sorted by name at every depth, no spaces, one way to escape strings, numbers as
// they were sent (docs/rules.md, "Idempotency").
func (v *Value) AppendCanonical(dst []byte) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.Text...)
	case String:
		return payload.AppendString(dst, v.Text)
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
		dst = append(payload.AppendString(dst, sorted[i].Name), ':')
		dst = sorted[i].Value.AppendCanonical(dst)
	}
	return append(dst, '}')
}

// reader parses a body token by token.
type reader struct {
	jsontext.Decoder
	body bytes.Buffer
}

// readers are reused, because a new one allocates buffers.
var readers = sync.Pool{New: func() any { return new(reader) }}

// value parses the next value, which is nested depth levels deep.
func (r *reader) value(depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, errTooDeep
	}
	token, err := r.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch token.Kind() {
	case 'n':
		return Value{Kind: Null, Text: "null"}, nil
	case 't':
		return Value{Kind: Bool, Text: "true"}, nil
	case 'f':
		return Value{Kind: Bool, Text: "false"}, nil
	case '0':
		return Value{Kind: Number, Text: token.String()}, nil
	case '"':
		return Value{Kind: String, Text: token.String()}, nil
	}
	if token.Kind() == '{' {
		return r.object(depth)
	}
	return r.array(depth)
}

// object parses the members and the end of an object.
func (r *reader) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	for r.PeekKind() != '}' {
		name, err := r.ReadToken()
		if err != nil {
			return Value{}, err
		}
		m := Member{Name: name.String()}
		if m.Value, err = r.value(depth + 1); err != nil {
			return Value{}, err
		}
		if v.Members == nil {
			v.Members = make([]Member, 0, 4) // growing from one member costs more memory
		}
		v.Members = append(v.Members, m)
	}
	_, err := r.ReadToken()
	return v, err
}

// array parses the items and the end of an array.
func (r *reader) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	for r.PeekKind() != ']' {
		item, err := r.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := r.ReadToken()
	return v, err
}

var errTooDeep = fmt.Errorf("the body nests deeper than %d levels", MaxDepth)

// explain returns the message for clients that says why body was refused.
func explain(body []byte, err error) error {
	if !utf8.Valid(body) {
		return errors.New("the body is not valid UTF-8")
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && ok:
		return fmt.Errorf("the member %.40q stands twice", syntax.JSONPointer.LastToken())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the body ends too early")
	case ok:
		return fmt.Errorf("unexpected character at byte %d", syntax.ByteOffset+1)
	}
	return err
}
