package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// notation describes how a language writes JSON values.
type notation struct {
	open, shut, colon, quote string
	bareNames                bool
	indent                   string
	words                    map[string]string // for true, false and null
}

var (
	javaScript = notation{"{", "}", ": ", "'", true, "  ", nil}
	python     = notation{"{", "}", ": ", `"`, false, "    ",
		map[string]string{"true": "True", "false": "False", "null": "None"}}
	php = notation{"[", "]", " => ", "'", false, "    ", nil}
)

// literal writes the body, an object, in the language's notation.
func (r Request) literal(prefix string, n notation) string {
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	var b strings.Builder
	if err := n.write(&b, d, prefix); err != nil {
		return string(r.Body)
	}
	return b.String()
}

func (n notation) write(b *strings.Builder, d *json.Decoder, prefix string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return n.writeObject(b, d, prefix)
	case string:
		b.WriteString(n.text(token))
	case nil:
		b.WriteString(n.word("null"))
	case bool:
		b.WriteString(n.word(fmt.Sprint(token)))
	default:
		fmt.Fprint(b, token)
	}
	return nil
}

func (n notation) writeObject(b *strings.Builder, d *json.Decoder, prefix string) error {
	b.WriteString(n.open + "\n")
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		quoted := fmt.Sprint(name)
		if !n.bareNames {
			quoted = n.text(quoted)
		}
		b.WriteString(prefix + n.indent + quoted + n.colon)
		if err := n.write(b, d, prefix+n.indent); err != nil {
			return err
		}
		b.WriteString(",\n")
	}
	b.WriteString(prefix + n.shut)
	_, err := d.Token()
	return err
}

func (n notation) text(s string) string {
	return n.quote + strings.NewReplacer(`\`, `\\`, n.quote, `\`+n.quote).Replace(s) + n.quote
}

func (n notation) word(w string) string {
	if own, ok := n.words[w]; ok {
		return own
	}
	return w
}
