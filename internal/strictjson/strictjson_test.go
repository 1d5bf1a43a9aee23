package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"garoupa/internal/strictjson"
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

// The message for a client says what is wrong with the body, and where.
func TestParse_Wording(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                         "the body ends too early",
		`{"a":1`:                   "the body ends too early",
		`"abc`:                     "the body ends too early",
		`{"a":1,"b":2,"a":3}`:      `the member "a" stands twice`,
		`{"a":{"b":1,"\u0062":2}}`: `the member "b" stands twice`,
		`{"a/~b":1,"a/~b":2}`:      `the member "a/~b" stands twice`,
		"{\"a\":\"\xff\"}":         "the body is not valid UTF-8",
		"{} \xff":                  "the body is not valid UTF-8",
		`{} x`:                     "unexpected data after the value, at byte 4",
		`{"a":1}{"a":1}`:           "unexpected data after the value, at byte 8",
		"\ufeff{}":                 "unexpected character at byte 1",
		`{"a":01}`:                 "unexpected character at byte 7",
		`{"a":+1}`:                 "unexpected character at byte 6",
		`{a:1}`:                    "unexpected character at byte 2",
		`{"a":"\ud800"}`:           "unexpected character at byte 7",
		strings.Repeat("[", 33):    "the body nests deeper than 32 levels",
	} {
		if _, err := strictjson.Parse([]byte(body)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
}

// Bodies that are parsed concurrently, one of them with an error, do not mix.
func TestParse_Together(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			body := fmt.Sprintf(`{"id":%d,"items":[{"name":"n%d"}]}`, i, i)
			for range 200 {
				if _, err := strictjson.Parse([]byte(body[:len(body)-i-1])); err == nil {
					t.Errorf("%s was accepted although it is incomplete", body)
				}
				if v, err := strictjson.Parse([]byte(body)); err != nil || string(v.AppendCanonical(nil)) != body {
					t.Errorf("%s was read as %+v, %v", body, v, err)
				}
			}
		})
	}
	all.Wait()
}

func TestAppendCanonical(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"b":1,"a":{"d":null,"c":[1,2]}}`:  `{"a":{"c":[1,2],"d":null},"b":1}`,
		` { "a" : "\u0041\/\ud83d\udc1f" }`: `{"a":"A/🐟"}`,
		`1.0`:                               `1.0`, // numbers are compared as text, so 1 is another number
		`1e2`:                               `1e2`,
		`-0`:                                `-0`,
		`[true,false]`:                      `[true,false]`,
		`{"\ufb01":1,"\ud83d\udc1f":2}`:     `{"ﬁ":1,"🐟":2}`, // by bytes, not by UTF-16
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

// encoding/json accepts every body that Parse accepts, with the same value, and the canonical
// form is its own canonical form.
func FuzzParse(f *testing.F) {
	for _, body := range []string{`{"a":[1,-2.5e+3,"\u00e9\n",true,null],"b":{}}`, `"\ud83d\udc1f"`, `[[[]]]`,
		`{"a":1,"a":2}`} {
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
