package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"garoupa/api"
	"garoupa/models"
)

// callsEach is the number of requests in one run of the property. Each starts from the
// state that the previous ones left.
const callsEach = 12

// Every request, valid, nearly valid or hostile, gets an answer that is described. A
// failure prints the seed that reproduces it.
func TestOpenAPI_AnyRequest(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	d.product(t)
	w := &writer{described: d, test: t}
	for path, item := range d.doc.Paths.Map() {
		for method := range item.Operations() {
			w.operations = append(w.operations, [2]string{method, path})
		}
	}
	slices.SortFunc(w.operations, func(a, b [2]string) int { return strings.Compare(a[1]+a[0], b[1]+b[0]) })
	w.keys = []string{
		d.key, d.key, d.key, d.key, d.key, d.key, d.Key(t, d.Live, models.Permissions...),
		d.Key(t, d.Test, models.PermissionCheckoutRead), "svc_test_" + strings.Repeat("0", 32), "x", "",
	}
	w.ids = []string{d.pending(t).ID, d.pending(t).ID, "chk_0", "plink_0123456789abcdef", "x"}
	rapid.Check(t, func(rt *rapid.T) {
		for range callsEach {
			w.call(rt)
		}
	})
	if w.made < 3 {
		t.Errorf("only %d requests created something, too few for this property", w.made)
	}
}

// writer draws requests from a description.
type writer struct {
	*described
	test       *testing.T
	operations [][2]string
	keys, ids  []string
	made       int // the number of answers 201
}

// The kinds of requests that are drawn.
const (
	valid   = "valid"
	nearly  = "nearly valid"
	hostile = "hostile"
)

func (w *writer) call(rt *rapid.T) {
	o := rapid.SampledFrom(w.operations).Draw(rt, "operation")
	kind := rapid.SampledFrom([]string{valid, nearly, hostile}).Draw(rt, "kind")
	operation := w.doc.Paths.Value(o[1]).GetOperation(o[0])
	headers := []string{"Authorization", "Bearer " + rapid.SampledFrom(w.keys).Draw(rt, "key")}
	path, query, body := o[1], url.Values{}, ""
	for _, p := range operation.Parameters {
		value := w.text(rt, p.Value.Schema.Value, kind, p.Value.Name)
		switch {
		case p.Value.In == "path":
			id := rapid.SampledFrom(w.ids).Draw(rt, "id")
			if kind == hostile {
				id = rapid.StringMatching(`[^/.]+`).Draw(rt, "hostile id")
			}
			path = idInPath.ReplaceAllLiteralString(path, url.PathEscape(id))
		case !p.Value.Required && rapid.Bool().Draw(rt, "without "+p.Value.Name):
		case p.Value.In == "query" && (p.Value.Name != "cursor" || kind != valid):
			query.Set(p.Value.Name, value)
		case p.Value.In == "header":
			headers = append(headers, p.Value.Name, value)
		}
	}
	if kind == hostile && rapid.Bool().Draw(rt, "unknown parameter") {
		query.Add(rapid.String().Draw(rt, "parameter"), rapid.String().Draw(rt, "its value"))
	}
	if operation.RequestBody != nil {
		body = w.body(rt, operation.RequestBody.Value.Content["application/json"].Schema.Value, kind)
	}
	if kind == hostile && rapid.Bool().Draw(rt, "media type") {
		headers = append(headers, "Content-Type",
			rapid.SampledFrom([]string{"text/plain", "application/json; charset=utf-8", ";"}).Draw(rt, "type"))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	a := w.send(w.test, o[0], path, body, headers...)
	if a.status >= 500 && a.status != http.StatusServiceUnavailable {
		rt.Fatalf("%s %s %q %q: %d %s", o[0], path, headers, body, a.status, a.body)
	}
	if problem := w.check(w.test, a, o[0], path, body, headers...); problem != nil {
		rt.Fatalf("%s %s %q %q answered %d %.300s: %v", o[0], path, headers, body, a.status, a.body, problem)
	}
	if a.status == http.StatusCreated {
		w.made++
	}
	if kind == valid && a.status == http.StatusBadRequest && !strings.Contains(a.body, "for this account") {
		rt.Fatalf("%s %s %q %q follows the description: %d %s", o[0], path, headers, body, a.status, a.body)
	}
}

// body draws a body.
func (w *writer) body(rt *rapid.T, schema *openapi3.Schema, kind string) string {
	if kind == hostile && rapid.Bool().Draw(rt, "raw") {
		return string(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(rt, "bytes"))
	}
	value := w.value(rt, schema, "body")
	if members, ok := value.(map[string]any); ok && kind != valid {
		name := rapid.SampledFrom(append(slices.Sorted(mapsKeys(schema.Properties)), "unknown", "__proto__")).Draw(rt,
			"broken member")
		members[name] = rapid.SampledFrom([]any{
			nil, true, -1, 0, 1.5, 1e300, "", "\x00", strings.Repeat("é", 3000), []any{}, map[string]any{},
			map[string]any{"a": []any{nil}}, "\u202e", json.Number("12345678901234567890"),
		}).Draw(rt, "broken value")
	}
	sent, err := json.Marshal(value)
	if err != nil {
		rt.Fatal(err)
	}
	if kind == hostile {
		cut := rapid.IntRange(0, len(sent)).Draw(rt, "cut")
		return string(sent[:cut]) +
			rapid.SampledFrom([]string{"", "}", "{", ",", "\xff", "\\u", strings.Repeat("[", 2000)}).Draw(rt, "rest")
	}
	return string(sent)
}

func mapsKeys(properties openapi3.Schemas) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range properties {
			if !yield(name) {
				return
			}
		}
	}
}

// text draws a parameter.
func (w *writer) text(rt *rapid.T, schema *openapi3.Schema, kind, name string) string {
	if kind != valid && rapid.Bool().Draw(rt, "broken "+name) {
		drawn := rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("x", 300)),
			rapid.SampledFrom([]string{"0", "-1", "101", "1e9", "paid", " "})).Draw(rt, name)
		// An HTTP client would replace line breaks by spaces in a header.
		return strings.NewReplacer("\r", "", "\n", "").Replace(drawn)
	}
	switch value := w.value(rt, schema, name).(type) {
	case string:
		return value
	default:
		return jsonText(w.test, value)
	}
}

// value draws a valid value of a schema, in plain characters.
func (w *writer) value(rt *rapid.T, s *openapi3.Schema, name string) any {
	switch {
	case s.Type.Includes("null") && rapid.IntRange(0, 4).Draw(rt, name+" is null") == 0:
		return nil
	case len(s.Enum) > 0:
		return rapid.SampledFrom(slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })).Draw(rt,
			name)
	case s.Type.Includes("object"):
		return w.object(rt, s, name)
	case name == "amount" && s.Type.Includes("integer"):
		return rapid.OneOf(rapid.Int64Range(1, 100_000), rapid.Int64Range(int64(*s.Min), int64(*s.Max))).Draw(rt, name)
	case name == "minAmount":
		return rapid.Int64Range(1, 100).Draw(rt, name)
	case name == "maxAmount":
		return rapid.Int64Range(100, int64(*s.Max)).Draw(rt, name)
	case s.Type.Includes("integer"):
		return rapid.Int64Range(int64(*s.Min), int64(*s.Max)).Draw(rt, name)
	case name == "productId":
		return rapid.SampledFrom([]string{"vaso", "vaso", "nenhum"}).Draw(rt, name)
	case name == "Last-Event-ID":
		return rapid.SampledFrom([]string{"", models.EventStreamStart}).Draw(rt, name)
	case name == "email":
		return rapid.StringMatching(`[a-z]{1,20}@[a-z]{1,20}\.example`).Draw(rt, name)
	case strings.HasSuffix(name, "Url"):
		return rapid.StringMatching(`(https://[a-z]{1,20}\.example/[a-z]{0,40})?`).Draw(rt, name)
	case name == "endsAt":
		return rapid.StringMatching(`29[0-9]{2}-0[1-9]-[12][0-8]T1[0-9]:[0-5][0-9]:[0-5][0-9](Z|-03:00)`).Draw(rt, name)
	case name == "phone":
		return rapid.StringMatching(`\+[0-9]{8,15}`).Draw(rt, name)
	case name == "amount":
		return rapid.StringMatching(`[0-9]{1,10}(\.[0-9]{1,2})?`).Draw(rt, name)
	}
	most := 40
	if s.MaxLength != nil {
		most = int(min(*s.MaxLength, 40))
	}
	return rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ019-_.:")), max(1, int(s.MinLength)), most, -1).Draw(rt, name)
}

func (w *writer) object(rt *rapid.T, s *openapi3.Schema, name string) map[string]any {
	members := map[string]any{}
	for _, member := range slices.Sorted(mapsKeys(s.Properties)) {
		if slices.Contains(s.Required, member) || rapid.Bool().Draw(rt, "with "+member) {
			members[member] = w.value(rt, s.Properties[member].Value, member)
		}
	}
	if members["openAmount"] != nil { // of one unit
		delete(members, "maxQuantity")
	}
	for _, option := range s.AnyOf { // one of the members that a customer needs
		if len(option.Value.Required) > 0 && members[option.Value.Required[0]] == nil {
			members[option.Value.Required[0]] = "12345678"
			if option.Value.Required[0] == "email" {
				members["email"] = "ana@example.com"
			}
			break
		}
	}
	if values := s.AdditionalProperties.Schema; values != nil {
		for i := range rapid.IntRange(0, 5).Draw(rt, "how many in "+name) {
			members["k"+string(rune('a'+i))] = w.value(rt, values.Value, "metadata value")
		}
	}
	return members
}
