package requestlog

import (
	"encoding/json"
	"slices"
	"strings"
)

// maxBody is how much of a masked body is kept, in bytes.
const maxBody = 4 << 10

// hidden replaces private values, and cut marks the end of a shortened body.
const (
	hidden = `"•••"`
	cut    = "…"
)

// private are the members, in lower case, whose values are hidden at any depth. All of a
// customer is hidden, and so is every name except one at the top, which is a product's.
var private = []string{"phone", "document", "email", "cpf", "cnpj", "holdername", "key", "address"}

// masker processes a body once, from left to right.
type masker struct {
	in    []byte
	at    int
	out   []byte
	scope []scope
}

// scope is an open object or list.
type scope struct {
	object  bool
	private bool // hide every value
	name    bool // the next token is a name, not a value
	hide    bool // hide the next value
}

// mask returns the JSON with private values hidden and images left out, cut after maxBody
// bytes. The JSON may be incomplete at its end.
func mask(body []byte) string {
	m := masker{in: body, scope: []scope{{}}}
	for m.at < len(m.in) && len(m.out) < maxBody {
		m.step()
	}
	out := strings.ToValidUTF8(string(m.out), "\uFFFD")
	if m.at < len(m.in) {
		out += cut
	}
	return strings.ReplaceAll(out, "\x00", "")
}

func (m *masker) step() {
	top := &m.scope[len(m.scope)-1]
	switch b := m.in[m.at]; b {
	case '{', '[':
		m.scope = append(m.scope, scope{object: b == '{', name: b == '{', private: top.private || top.hide})
		m.copy()
	case '}', ']':
		if len(m.scope) > 1 {
			m.scope = m.scope[:len(m.scope)-1]
		}
		m.copy()
	case ',':
		top.name, top.hide = top.object, false
		m.copy()
	case ':', ' ', '\t', '\r', '\n':
		m.copy()
	case '"':
		m.text(top)
	default:
		m.literal(top)
	}
}

func (m *masker) copy() {
	m.out = append(m.out, m.in[m.at])
	m.at++
}

// text processes a string. It leaves out a string without an end.
func (m *masker) text(top *scope) {
	end := m.at + 1
	for end < len(m.in) && m.in[end] != '"' {
		if m.in[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(m.in) {
		m.out, m.at = append(m.out, cut...), len(m.in)
		return
	}
	token := m.in[m.at : end+1]
	m.at = end + 1
	switch {
	case top.name:
		top.name, top.hide = false, m.hides(token)
		m.out = append(m.out, token...)
	case top.private || top.hide:
		m.out = append(m.out, hidden...)
	case strings.HasPrefix(string(token[:min(len(token), 6)]), `"data:`):
		m.out = append(m.out, `"data:`+cut+`"`...)
	default:
		m.out = append(m.out, token...)
	}
}

// hides reports whether the value of a member is private. It decodes escapes in the name,
// which are another way to write the same name.
func (m *masker) hides(token []byte) bool {
	var name string
	if json.Unmarshal(token, &name) != nil {
		return true
	}
	name = strings.ToLower(name)
	return name == "customer" || slices.Contains(private, name) || name == "name" && len(m.scope) > 2
}

// literal processes a number, true, false or null.
func (m *masker) literal(top *scope) {
	start := m.at
	for m.at < len(m.in) && !strings.ContainsRune("{}[],:\" \t\r\n", rune(m.in[m.at])) {
		m.at++
	}
	token := m.in[start:m.at]
	if (top.private || top.hide) && string(token) != "null" {
		token = []byte(hidden)
	}
	m.out = append(m.out, token...)
}
