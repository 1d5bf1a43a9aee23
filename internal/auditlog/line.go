// Package auditlog hands the lines of the audit log to a receiver outside of the installation, a file or an
// https address, and verifies what a receiver has.
//
// A line is a JSON object with all that its seal covers, the SHA-256 of that, and the seal. So a receiver needs
// nothing else to notice that a line was changed, left out or put in (docs/decisions/0064).
package auditlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// timeForm is the form of Line.At: the database keeps microseconds, and the seal covers them.
const timeForm = "2006-01-02T15:04:05.000000Z"

// Line is a line of the audit log as a receiver gets it.
type Line struct {
	ID        string          `json:"id"` // a number; as text, because programs round large numbers
	At        string          `json:"at"`
	Actor     string          `json:"actor"`
	ActorRole string          `json:"actorRole"`
	AccountID *string         `json:"accountId"`
	Type      string          `json:"type"`
	ObjectID  string          `json:"objectId"`
	Detail    json.RawMessage `json:"detail"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
	IP        string          `json:"ip"`
	RequestID string          `json:"requestId"`
	SHA256    string          `json:"sha256"` // of the text that content returns, when the line was sealed
	Seal      Seal            `json:"seal"`
}

// Seal is the seal over a line.
type Seal struct {
	Number   int64  `json:"number"` // from 1, without gaps
	Lines    int    `json:"lines"`  // how many it covers
	Previous string `json:"previous"`
	// Hash is the SHA-256 of the hash Previous and, for each line in the order of ids, of the id in 8 bytes, the
	// most significant first, and of the line's SHA-256.
	Hash string `json:"hash"`
}

// FormatTime returns a time in the form of Line.At.
func FormatTime(at time.Time) string { return at.UTC().Format(timeForm) }

// Encode returns the line as JSON with a line break at its end.
func (l *Line) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("auditlog: encode line %s: %w", l.ID, err)
	}
	return b.Bytes(), nil
}

// hash returns the SHA-256 of the line's content.
func (l *Line) hash() (string, error) {
	text, err := l.content()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

// content returns what the line's hash is made of: a JSON array of what the database holds, as PostgreSQL writes
// jsonb as text. models.SealAudit makes the same text in the database.
func (l *Line) content() (string, error) {
	id, err := strconv.ParseInt(l.ID, 10, 64)
	if err != nil {
		return "", fmt.Errorf("auditlog: the id is no number: %w", err)
	}
	at, err := time.Parse(timeForm, l.At)
	if err != nil {
		return "", fmt.Errorf("auditlog: line %s: %w", l.ID, err)
	}
	items := []any{json.Number(strconv.FormatInt(id, 10)), json.Number(strconv.FormatInt(at.UnixMicro(), 10)), l.Actor,
		l.ActorRole, nil, l.Type, l.ObjectID}
	if l.AccountID != nil {
		items[4] = *l.AccountID
	}
	for _, raw := range []json.RawMessage{l.Detail, l.Before, l.After} {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var facts any
		if err := d.Decode(&facts); err != nil {
			return "", fmt.Errorf("auditlog: line %s: facts: %w", l.ID, err)
		}
		items = append(items, facts)
	}
	var b strings.Builder
	writeValue(&b, append(items, l.IP, l.RequestID))
	return b.String(), nil
}

// writeValue writes a JSON value as PostgreSQL writes jsonb: a space after colons and commas, members by the length
// of their names and then by their bytes, and escapes only where JSON needs them.
func writeValue(b *strings.Builder, value any) {
	switch v := value.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case json.Number:
		b.WriteString(v.String())
	case string:
		writeText(b, v)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeValue(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		names := slices.SortedFunc(maps.Keys(v), func(x, y string) int {
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			return strings.Compare(x, y)
		})
		for i, name := range names {
			if i > 0 {
				b.WriteString(", ")
			}
			writeText(b, name)
			b.WriteString(": ")
			writeValue(b, v[name])
		}
		b.WriteByte('}')
	}
}

func writeText(b *strings.Builder, text string) {
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if c < ' ' {
				fmt.Fprintf(b, `\u%04x`, c)
			} else {
				b.WriteByte(c)
			}
		}
	}
	b.WriteByte('"')
}
