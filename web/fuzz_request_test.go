//go:build fuzz

package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"
)

// form is a form that a page showed.
type form struct {
	names, values []string
	hidden        []bool
}

// hostile are values that programs stumble over.
var hostile = []string{"", "x", "0", "-1", "1", "9223372036854775808", "1e309", "NaN", "1,00", "10,00", "0,001",
	"999999999999,99", "null", "true", "[]", "{}", "'", "\"", "$1", "%s%n", "%", "%00", "\x00", "\xff\xfe", "\u202egnp",
	"👾", "é", "../../etc/passwd", "//x.example", "https://x.example/", "http://127.0.0.1:1/", "javascript:1",
	"a@b.example", "2026-02-30", "2026-03-01", "9999-12-31", "0000-00-00", "2026-03-01T00:00:00Z",
	"chk_" + strings.Repeat("f", 20),
	"usr_" + strings.Repeat("0", 20), "dlv_" + strings.Repeat("f", 24), "52998224725", "12ABC34501DE35", "live", "test",
	"OWNER", "APPROVE", "APPROVED", "REJECT", "send", "edit", "PIX", "USDT", "<script>", "\r\nX: y",
	strings.Repeat("9", 400), strings.Repeat("é", 5000)}

// names are those of parameters.
var names = []string{
	"q", "tab", "status", "after", "before", "cursor", "limit", "from",
	"until", "since", "amount", "env", "next", "token", "type", "kind",
	"page", "email", "object", "subject", "id", "expand", "externalId", "lang",
	"theme", "dir", "sort", "createdAfter", "types", "delivered", "account", "position",
	"version", "do", "outcome", "reason",
}

func (f *fuzz) chance(percent int) bool { return f.dice.IntN(100) < percent }

func pick[T any](f *fuzz, of []T) T { return of[f.dice.IntN(len(of))] }

// request makes a request to a route. said describes it so that a person can send it again.
func (f *fuzz) request(t *testing.T, base, route string) (r *http.Request, said string) {
	t.Helper()
	method, pattern, _ := strings.Cut(route, " ")
	path := f.path(pattern)
	if f.chance(30) {
		query := url.Values{}
		for range 1 + f.dice.IntN(3) {
			// longer ones would not fit into a request's headers
			query.Add(pick(f, names), pick(f, hostile[:len(hostile)-1]))
		}
		path += "?" + query.Encode()
	}
	if f.chance(3) {
		method = pick(f, []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"})
	}
	var mediaType string
	var body []byte
	if method != http.MethodGet && method != http.MethodHead {
		mediaType, body = f.body(t, method, pattern, strings.Split(path, "?")[0])
	}
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s %q: %v", method, path, err)
	}
	f.headers(r, mediaType)
	return r, fmt.Sprintf("%s %s %q %.600q", method, path, r.Header, body)
}

// path fills in the parameters of a route, with ids of things or with anything.
func (f *fuzz) path(pattern string) string {
	path, _ := f.fill(pattern)
	if seen := f.paths[pattern]; len(seen) > 0 && f.chance(40) {
		path = pick(f, seen)
	}
	if f.chance(70) || !strings.ContainsAny(pattern, ":*") {
		return path
	}
	segments := strings.Split(pattern, "/")
	known := strings.Split(path, "/")
	for i, segment := range segments[:min(len(segments), len(known))] {
		if !strings.HasPrefix(segment, ":") && segment != "*" {
			continue
		}
		if text := pick(f, hostile); text != "" && len(text) < 2000 && f.chance(80) {
			known[i] = url.PathEscape(text)
		}
	}
	return strings.Join(known, "/")
}

// body makes the body of a request: what the API describes, a form that a page showed, or anything.
func (f *fuzz) body(t *testing.T, method, pattern, path string) (mediaType string, body []byte) {
	t.Helper()
	if strings.HasPrefix(pattern, "/v1/") && f.chance(85) {
		described := f.bodies[method+" "+pattern]
		if len(described) == 0 || f.chance(10) {
			return "application/json", []byte(pick(f, []string{"", "{", "null", "[]", "{}", `{"a":1,"a":2}`, "\xff",
				strings.Repeat("[", 3000)}))
		}
		text, err := json.Marshal(f.twisted(pick(f, described), 0))
		if err != nil {
			t.Fatal(err)
		}
		return "application/json", text
	}
	shown := f.forms[path]
	if len(shown) == 0 {
		shown = f.forms[pattern]
	}
	values := url.Values{}
	if len(shown) > 0 && f.chance(80) {
		from := pick(f, shown)
		for i, name := range from.names {
			value := from.values[i]
			if from.hidden[i] && f.chance(3) || !from.hidden[i] && (f.chance(35) || value == "") {
				value = pick(f, hostile)
			}
			values.Add(name, value)
		}
	}
	for len(values) == 0 || f.chance(20) {
		values.Add(pick(f, names), pick(f, hostile))
	}
	if f.chance(10) {
		return f.multipart(t, values)
	}
	return "application/x-www-form-urlencoded", []byte(values.Encode())
}

func (f *fuzz) multipart(t *testing.T, values url.Values) (mediaType string, body []byte) {
	t.Helper()
	var content bytes.Buffer
	w := multipart.NewWriter(&content)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := w.WriteField(name, values.Get(name)); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile(pick(f, []string{"logo", "picture", "file", "certificate"}), "a.png")
	if err == nil {
		content := []string{"", "x", "\x89PNG\r\n\x1a\n", "GIF89a\xff\xff\xff\xff", "%PDF-1.7"}
		_, err = part.Write([]byte(pick(f, content)))
	}
	if err == nil && f.chance(80) {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), content.Bytes()
}

// twisted returns a JSON value with some of its parts replaced.
func (f *fuzz) twisted(value any, depth int) any {
	if depth > 0 && f.chance(8) {
		return pick(f, []any{nil, true, -1, 1.5, 1e300, []any{}, map[string]any{}, pick(f, hostile)})
	}
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !f.chance(5) {
				out[name] = f.twisted(v[name], depth+1)
			}
		}
		if f.chance(5) {
			out[pick(f, names)] = pick(f, hostile)
		}
		return out
	case []any:
		var out []any
		for _, part := range v {
			out = append(out, f.twisted(part, depth+1))
		}
		return out
	}
	return value
}

func (f *fuzz) headers(r *http.Request, mediaType string) {
	if mediaType != "" && f.chance(97) {
		r.Header.Set("Content-Type", mediaType)
	}
	if f.chance(95) {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		r.Header.Set("Authorization", "Bearer "+strings.Trim(pick(f, f.keys), "\x7f"))
		if f.chance(50) {
			r.Header.Set("Idempotency-Key", pick(f, []string{"a", "b", "", strings.Repeat("k", 300),
				fmt.Sprint(f.dice.Uint32())}))
		}
	}
	if f.chance(20) {
		name := pick(f, []string{"Accept", "Accept-Language", "Accept-Encoding", "Range", "If-None-Match", "Cookie",
			"X-Forwarded-For", "X-Forwarded-Host", "Content-Encoding", "Last-Event-ID", "Request-Id", "Referer",
			"Origin", "X-HTTP-Method-Override", "If-Modified-Since", "Expect"})
		value := pick(f, []string{"", "*/*", "en", "gzip", "bytes=0-", "bytes=-1", "bytes=9-1", "null", "127.0.0.1",
			"\"x\"",
			"evt_" + strings.Repeat("f", 24), "pt;q=9", strings.Repeat("x", 3000), "https://x.example"})
		if name == "Expect" {
			value = "x"
		}
		r.Header.Add(name, value)
	}
}

// learn keeps the forms of a page, so that later requests have their hidden fields.
func (f *fuzz) learn(path string, response *http.Response, content []byte) {
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		return
	}
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(content))
	if err != nil {
		return
	}
	page.Find("[href], [src]").Each(func(_ int, link *goquery.Selection) {
		to, _, _ := strings.Cut(link.AttrOr("href", link.AttrOr("src", "")), "?")
		f.keep(to)
	})
	page.Find("form").Each(func(_ int, shown *goquery.Selection) {
		action, _, _ := strings.Cut(shown.AttrOr("action", path), "?")
		f.keep(action)
		var found form
		fields := shown.Find("input[name], select[name], textarea[name], button[name]")
		fields.Each(func(_ int, field *goquery.Selection) {
			found.names = append(found.names, field.AttrOr("name", ""))
			found.hidden = append(found.hidden, field.AttrOr("type", "") == "hidden")
			value := field.AttrOr("value", field.Find("option").Last().AttrOr("value", field.Text()))
			found.values = append(found.values, value)
		})
		if len(f.forms[action]) < 4 {
			f.forms[action] = append(f.forms[action], found)
		} else {
			f.forms[action][f.dice.IntN(4)] = found
		}
	})
}

// keep remembers a path of a page for the routes that it fits.
func (f *fuzz) keep(path string) {
	if !strings.HasPrefix(path, "/") || f.known[path] || len(f.known) > 5000 {
		return
	}
	f.known[path] = true
	for _, route := range f.routes {
		_, pattern, _ := strings.Cut(route, " ")
		if strings.ContainsAny(pattern, ":*") && len(f.paths[pattern]) < 50 &&
			fiber.RoutePatternMatch(path, pattern, fiber.Config{CaseSensitive: true}) {
			f.paths[pattern] = append(f.paths[pattern], path)
		}
	}
}

// describedBodies returns the examples of bodies in the API's description.
func (f *fuzz) describedBodies(t *testing.T) map[string][]any {
	t.Helper()
	var description struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Examples map[string]struct{ Value any }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(f.Client(t).Get("/v1/openapi.json").Body), &description); err != nil {
		t.Fatal(err)
	}
	bodies := map[string][]any{}
	for path, operations := range description.Paths {
		for method, operation := range operations {
			route := strings.ToUpper(method) + " " + strings.NewReplacer("{", ":", "}", "").Replace(path)
			for _, media := range operation.RequestBody.Content {
				for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
					bodies[route] = append(bodies[route], media.Examples[name].Value)
				}
			}
		}
	}
	if len(bodies) == 0 {
		t.Fatal("the description has no body")
	}
	return bodies
}
