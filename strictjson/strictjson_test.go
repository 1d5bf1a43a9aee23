package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"garoupa/strictjson"
)

func TestParse_Malformed(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty":             ``,
		"only space":        " \n",
		"cut object":        `{"a":1`,
		"cut string":        `"abc`,
		"trailing data":     `{} x`,
		"two values":        `{}{}`,
		"trailing comma":    `{"a":1,}`,
		"duplicate":         `{"a":1,"a":1}`,
		"escaped duplicate": `{"a":1,"\u0061":1}`,
		"deep duplicate":    `[{"b":{"a":1,"a":2}}]`,
		"unquoted name":     `{a:1}`,
		"single quotes":     `{'a':1}`,
		"comment":           `{/**/}`,
		"leading zero":      `01`,
		"plus":              `+1`,
		"bare point":        `1.`,
		"bare exponent":     `1e`,
		"hex":               `0x10`,
		"NaN":               `NaN`,
		"control character": "\"a\nb\"",
		"bad escape":        `"\x"`,
		"cut escape":        `"\u12"`,
		"lone surrogate":    `"\ud800"`,
		"reversed pair":     `"\udc00\ud800"`,
		"invalid UTF-8":     "\"\xff\"",
		"byte order mark":   "\ufeff{}",
		"too deep":          strings.Repeat("[", 33) + strings.Repeat("]", 33),
		"word":              `nul`,
	} {
		if v, err := strictjson.Parse([]byte(body)); err == nil {
			t.Errorf("%s: %s was read as %+v", name, body, v)
		}
	}
}

func TestAppendCanonical(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"b":1,"a":{"d":null,"c":[1,2]}}`:  `{"a":{"c":[1,2],"d":null},"b":1}`,
		` { "a" : "\u0041\/\ud83d\udc1f" }`: `{"a":"A/🐟"}`,
		`1.0`:                               `1.0`, // a number is its text: 1 is another
		`1e2`:                               `1e2`,
		`-0`:                                `-0`,
		`[true,false]`:                      `[true,false]`,
		strings.Repeat("[", 32) + strings.Repeat("]", 32): strings.Repeat("[", 32) + strings.Repeat("]", 32),
	} {
		v, err := strictjson.Parse([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got := string(v.AppendCanonical(nil)); got != want {
			t.Errorf("%s: canonical is %s, want %s", body, got, want)
		}
	}
}

// What Parse accepts, encoding/json accepts and understands the same way; the
// canonical form is a fixed point.
func FuzzParse(f *testing.F) {
	for _, body := range []string{`{"a":[1,-2.5e+3,"\u00e9\n",true,null],"b":{}}`, `"\ud83d\udc1f"`, `[[[]]]`, `{"a":1,"a":2}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := strictjson.Parse(body)
		if err != nil {
			return
		}
		canonical := v.AppendCanonical(nil)
		again, err := strictjson.Parse(canonical)
		if err != nil {
			t.Fatalf("the canonical form %s of %s: %v", canonical, body, err)
		}
		if twice := again.AppendCanonical(nil); !bytes.Equal(twice, canonical) {
			t.Fatalf("canonical %s, then %s", canonical, twice)
		}
		if got, want := plain(t, canonical), plain(t, body); got != want {
			t.Fatalf("%s means %s, its canonical form %s", body, want, got)
		}
	})
}

func plain(t *testing.T, body []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("encoding/json refuses %s: %v", body, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
