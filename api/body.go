package api

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/internal/strictjson"
)

// object reads the members of a JSON object and checks their rules. It keeps the first
// violation and ignores all later calls, so a handler reads all members and checks err once.
type object struct {
	value *strictjson.Value
	path  string // "customer." etc., for messages
	err   *error
}

// decode parses body as an object with only the known members. It returns the SHA-256 of
// the body's canonical form, which idempotency compares. malformed is the endpoint's code
// for a malformed body (contract 4.1, 4.7).
func decode(body []byte, malformed refusal.Code, known ...string) (o object, hash []byte, err error) {
	v, err := strictjson.Parse(body)
	if err != nil {
		return o, nil, refusal.New(malformed, "The body is not valid JSON: %s.", err)
	}
	if v.Kind != strictjson.Object {
		return o, nil, refusal.New(malformed, "The body must be a JSON object, not %s.", v.Kind)
	}
	o = object{value: &v, err: new(error)}
	o.only(known...)
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return o, sum[:], *o.err
}

func (o *object) fail(message string, args ...any) {
	if *o.err == nil {
		*o.err = refusal.New(refusal.InvalidRequestBody, message, args...)
	}
}

// only refuses members with other names.
func (o *object) only(known ...string) {
	for _, m := range o.value.Members {
		if !slices.Contains(known, m.Name) {
			o.fail("Unknown member %.80q. %s", o.path+m.Name, suggest(o.path, m.Name, known))
			return
		}
	}
}

// member returns the value of a name, nil if it is absent or null: for an optional
// member null means absent (docs/rules.md, "Fields").
func (o *object) member(name string, required bool, want strictjson.Kind) *strictjson.Value {
	v, ok := o.value.Lookup(name)
	if !ok || v.Kind == strictjson.Null {
		if required {
			o.fail("%s is required.", o.path+name)
		}
		return nil
	}
	if v.Kind != want {
		o.fail("%s must be %s, not %s.", o.path+name, want, v.Kind)
		return nil
	}
	return v
}

// text reads a string that rule accepts, trimmed, or nil if it is absent.
func (o *object) text(name string, required bool, r rule) *string {
	v := o.member(name, required, strictjson.String)
	if v == nil {
		return nil
	}
	s := v.Text
	if r.trim {
		s = input.Trim(s)
	}
	if !r.accepts(s) {
		o.fail("%s must be %s.", o.path+name, r.wants)
		return nil
	}
	return &s
}

var integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// integer reads a whole number without fraction or exponent, or nil if it is absent. A
// number beyond int64 becomes the nearest int64.
func (o *object) integer(name string, required bool) *int64 {
	v := o.member(name, required, strictjson.Number)
	if v == nil {
		return nil
	}
	if !integerText.MatchString(v.Text) {
		o.fail("%s must be an integer, without fraction or exponent.", o.path+name)
		return nil
	}
	n, _ := strconv.ParseInt(v.Text, 10, 64) // out of range gives the nearest bound
	return &n
}

// object reads a nested object; ok is false if it is absent.
func (o *object) object(name string, known ...string) (inner object, ok bool) {
	v := o.member(name, false, strictjson.Object)
	if v == nil {
		return object{}, false
	}
	inner = object{value: v, path: o.path + name + ".", err: o.err}
	inner.only(known...)
	return inner, true
}

// rule is a condition on a text, and the words for it after "… must be" in a message.
type rule struct {
	trim    bool
	accepts func(string) bool
	wants   string
}

// suggest returns the sentence of a message about an unknown name, which path precedes: the
// known name that was probably meant, or else all of them.
func suggest(path, name string, known []string) string {
	if near := closest(name, known); near != "" {
		return fmt.Sprintf("The closest known one is %q.", path+near)
	}
	if len(known) == 0 {
		return "There are none."
	}
	all := make([]string, len(known))
	for i, k := range known {
		all[i] = path + k
	}
	return "Known are " + strings.Join(all, ", ") + "."
}

// maxEdits is the number of edits up to which an unknown name is taken for a mistyped one.
const maxEdits = 2

// closest returns the known name with the fewest edits from name, at most two and less than half of it, or "".
func closest(name string, known []string) string {
	if len(name) > 80 {
		name = name[:80]
	}
	name = strings.ToLower(name)
	best, least := "", 1<<30
	for _, k := range known {
		d := distance(name, strings.ToLower(k))
		if d < least && d <= maxEdits && 2*d < max(len(name), len(k)) {
			best, least = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements between a and b
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
