package api_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"garoupa/api"
)

// nested returns nested arrays, levels deep.
func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

// A body that is not one JSON object is invalid_json. A JSON object that the endpoint
// does not accept is invalid_request_body (docs/rules.md, "Order of checks").
func TestCreateCheckout_Malformed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tc := range []struct {
		name, body, code, says string
	}{
		{"empty", ``, "invalid_json", "ends too early"},
		{"space", " \n", "invalid_json", "ends too early"},
		{"cut", `{"amount":`, "invalid_json", "ends too early"},
		{"null", `null`, "invalid_json", "must be a JSON object, not null"},
		{"an array", `[` + with() + `]`, "invalid_json", "must be a JSON object, not an array"},
		{"a string", `"amount"`, "invalid_json", "must be a JSON object, not a string"},
		{"a number", `4990`, "invalid_json", "must be a JSON object, not a number"},
		{"trailing data", with() + `x`, "invalid_json", "unexpected data after the value"},
		{"two objects", with() + with(), "invalid_json", "unexpected data after the value"},
		{"trailing comma", strings.TrimSuffix(with(), "}") + ",}", "invalid_json", "unexpected character"},
		{"a form", `amount=4990&description=x`, "invalid_json", "unexpected character at byte 1"},
		{"duplicate", strings.TrimSuffix(with(), "}") + `,"amount":4990}`, "invalid_json",
			`the member "amount" stands twice`},
		{"escaped duplicate", strings.TrimSuffix(with(), "}") + `,"\u0061mount":1}`, "invalid_json",
			`the member "amount" stands twice`},
		{"duplicate in the customer", with("customer", `{"name":"a","name":"b","phone":"12345678"}`), "invalid_json",
			`"name" stands twice`},
		{"duplicate in the metadata", with("metadata", `{"a":"1","a":"1"}`), "invalid_json", `"a" stands twice`},
		{"invalid UTF-8", with("description", "\"a\xffb\""), "invalid_json", "not valid UTF-8"},
		{"overlong UTF-8", with("description", "\"a\xc0\x80b\""), "invalid_json", "not valid UTF-8"},
		{"half a surrogate pair", with("description", `"\ud83d"`), "invalid_json", "unexpected character"},
		{"a control character", with("description", "\"a\x00b\""), "invalid_json", "unexpected character"},
		{"a line end in a string", with("description", "\"a\nb\""), "invalid_json", "unexpected character"},
		{"a byte order mark", "\ufeff" + with(), "invalid_json", "unexpected character at byte 1"},
		{"a leading zero", with("amount", `010`), "invalid_json", "unexpected character"},
		{"a plus", with("amount", `+10`), "invalid_json", "unexpected character"},
		{"NaN", with("amount", `NaN`), "invalid_json", "unexpected character"},
		{"a comment", `/**/` + with(), "invalid_json", "unexpected character at byte 1"},
		{"33 levels", with("metadata", nested(32)), "invalid_json", "nests deeper than 32 levels"},
		{"32 levels", with("metadata", nested(31)), invalid, "metadata must be an object"},
		{"levels without end", strings.Repeat("[", 60_000), "invalid_json", "nests deeper than 32 levels"},
	} {
		a := s.create(t, tc.body)
		if !a.refused(t, 400, tc.code) || !strings.Contains(a.fault(t).Error.Message, tc.says) {
			t.Errorf("%s: %d %s; want %s, %q", tc.name, a.status, a.body, tc.code, tc.says)
		}
	}
	if n := s.checkouts(t); n != 0 {
		t.Errorf("%d checkouts", n)
	}
}

// A body of 128 KiB is accepted. A larger body is refused, and so is a compressed one.
func TestCreateCheckout_Size(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const limit = 128 << 10
	padded := func(size int) string { return with() + strings.Repeat(" ", size-len(with())) }
	if a := s.create(t, padded(limit)); a.status != 201 {
		t.Errorf("128 KiB: %d %s", a.status, a.body)
	}
	if a := s.create(t, padded(limit+1)); !a.refused(t, 413, "request_too_large") {
		t.Errorf("128 KiB and a byte: %d %s", a.status, a.body)
	}
	bomb := packed(t, padded(4<<20))
	for _, encoding := range []string{"gzip", "deflate", "br", "gzip, gzip", "x"} {
		if a := s.create(t, bomb, "Content-Encoding", encoding); !a.refused(t, 415, "unsupported_media_type") {
			t.Errorf("4 MiB as %s: %d %s", encoding, a.status, a.body)
		}
	}
	if a := s.create(t, with(), "Content-Encoding", "identity"); a.status != 201 {
		t.Errorf("identity: %d %s", a.status, a.body)
	}
	if a := s.create(t, packed(t, with()), "Content-Encoding", "identity", "Content-Encoding", "gzip"); a.status < 400 {
		t.Errorf("identity, then gzip: %d %s", a.status, a.body)
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The HTTP server's own limit gives the same answer as the API's.
func TestCreateCheckout_FarTooLarge(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	body := strings.NewReader(with() + strings.Repeat(" ", 2<<20))
	request, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.listen(t)+"/v1/checkouts", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "api.example"
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Expect", "100-continue") // otherwise the refusal could be lost while the body is sent
	response, err := (&http.Transport{ExpectContinueTimeout: 1 << 40}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	if a := read(t, response); !a.refused(t, 413, "request_too_large") {
		t.Errorf("2 MiB: %d %s", a.status, a.body)
	}
}

func TestCreateCheckout_ContentType(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for media, status := range map[string]int{
		"":                                  201, // absent
		"application/json":                  201,
		"Application/JSON":                  201,
		"application/json; charset=utf-8":   201,
		"application/json;charset=UTF-8 ":   201,
		"application/vnd.loja+json":         201,
		"text/plain":                        415,
		"text/json":                         415,
		"application/jsonp":                 415,
		"application/xml":                   415,
		"application/x-www-form-urlencoded": 415,
		"multipart/form-data; boundary=x":   415,
		"application/json, text/plain":      415,
		"json":                              415,
		";;":                                415,
	} {
		headers := []string{"Authorization", "Bearer " + s.key}
		if media != "" {
			headers = append(headers, "Content-Type", media)
		}
		a := s.send(t, "POST", "/v1/checkouts", with("externalId", quoted(fmt.Sprintf("%q", media))), headers...)
		if a.status != status || status == 415 && !a.refused(t, 415, "unsupported_media_type") {
			t.Errorf("Content-Type %q: %d %s, want %d", media, a.status, a.body, status)
		}
	}
}

// Every endpoint checks the size, type and encoding of a body, also if it reads none, and
// before the key (docs/rules.md, "Order of checks"). An unknown path or method comes
// first.
func TestBody_Everywhere(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	large := strings.Repeat(" ", 128<<10+1)
	for path, item := range d.doc.Paths.Map() {
		for method := range item.Operations() {
			address := idInPath.ReplaceAllString(path, "x")
			for name, tc := range map[string]struct {
				body, header, value, want string
			}{
				"too large":          {large, "Content-Type", "text/plain", "413 request_too_large"},
				"another media type": {"", "Content-Type", "text/plain", "415 unsupported_media_type"},
				"packed":             {"{}", "Content-Encoding", "gzip", "415 unsupported_media_type"},
			} {
				a := d.send(t, method, address, tc.body, tc.header, tc.value)
				if got := strconv.Itoa(a.status) + " " + a.fault(t).Error.Code; got != tc.want {
					t.Errorf("%s %s, %s: %s, want %s", method, address, name, got, tc.want)
				}
			}
			if a := d.send(t, method, address+"/x/y", large); !a.refused(t, 404, "not_found") {
				t.Errorf("%s %s/x/y: %d %s", method, address, a.status, a.body)
			}
			if a := d.send(t, "DELETE", address, large, "Content-Type", "text/plain"); !a.refused(t, 405,
				"method_not_allowed") {
				t.Errorf("DELETE %s: %d %s", address, a.status, a.body)
			}
		}
	}
}
