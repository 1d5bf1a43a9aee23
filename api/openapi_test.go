package api_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"garoupa/api"
	"garoupa/api/openapi"
	"garoupa/internal/ratelimit"
	"garoupa/internal/server"
	"garoupa/internal/stream"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
)

// described is a site with its own description, as an independent library reads it.
type described struct {
	*site
	bank   *institution // the institution of live
	doc    *openapi3.T
	router routers.Router
	seen   map[string]bool // answers seen, as "method path status code"
}

// The OpenAPI library treats a stream as text.
func init() {
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
}

func newDescribed(t testing.TB, limits api.Limits) *described {
	t.Helper()
	bank := &institution{}
	g := paymentstest.NewWith(t, bank)
	bank.Provider = g.Simulator
	return newDescribedOver(t, g, bank, limits)
}

func newDescribedOver(t testing.TB, g *paymentstest.Gateway, bank *institution, limits api.Limits) *described {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	hub := stream.New(ctx, g.DB)
	hub.Close() // so that a stream sends the current state and ends
	s := &site{Gateway: g, hub: hub, key: g.Key(t, g.Test, models.Permissions...), app: server.New(server.Options{
		Health: server.NewHealth(server.HealthOptions{DB: g.DB}), BaseURL: baseURL,
		CheckoutURL: paymentstest.CheckoutURL, AppURL: appURL, RequestTimeout: time.Minute,
		API: api.Options{
			DB: g.DB, Payments: g.Service, Merchants: g.Merchants, Streams: hub, BaseURL: baseURL,
			CheckoutURL: paymentstest.CheckoutURL, AppURL: appURL, Limits: limits, Now: g.Clock.Now,
		},
		Web: web.Options{
			DB: g.DB, Payments: g.Service, Merchants: g.Merchants, Vault: g.Vault, Streams: hub,
			BaseURL: baseURL, CheckoutURL: paymentstest.CheckoutURL, AppURL: appURL, AllowPrivate: true,
			Now: g.Clock.Now,
		},
	})}
	served, err := json.Marshal(api.Document(baseURL, paymentstest.CheckoutURL, appURL))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(served)
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range doc.Components.Schemas {
		closeAnswers(schema.Value)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &described{site: s, bank: bank, doc: doc, router: router, seen: map[string]bool{}}
}

// closeAnswers forbids members that are not described, which clients must accept, so that tests
// find what the service sends beyond its description.
func closeAnswers(s *openapi3.Schema) {
	if len(s.Properties) > 0 && s.AdditionalProperties.Has == nil {
		s.AdditionalProperties.Has = new(false)
	}
	for _, member := range s.Properties {
		closeAnswers(member.Value)
	}
	if s.Items != nil {
		closeAnswers(s.Items.Value)
	}
}

// The document is valid OpenAPI 3.1, and its examples are valid for its schemas.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	if err := d.doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if !d.doc.IsOpenAPI31OrLater() || d.doc.Info.Version != "1.0.0" || len(d.doc.Servers) != 1 ||
		d.doc.Servers[0].URL != baseURL {
		t.Errorf("OpenAPI %s, version %s, servers %v", d.doc.OpenAPI, d.doc.Info.Version, d.doc.Servers)
	}
	scheme := d.doc.Components.SecuritySchemes["apiKey"].Value
	if scheme.Type != "http" || scheme.Scheme != "bearer" {
		t.Errorf("keys are sent by %s %s", scheme.Type, scheme.Scheme)
	}
	events := []string{}
	for kind := range d.doc.Webhooks {
		events = append(events, kind)
	}
	slices.Sort(events)
	if diff := cmp.Diff(slices.Sorted(slices.Values(slices.Concat(models.EventTypes, models.OptionalEventTypes,
		models.WithdrawalEventTypes))), events); diff != "" {
		t.Errorf("events (-sent +described)\n%s", diff)
	}
}

// Generators of clients get what they need: answers that may grow, members that stay optional, and
// amounts that do not fit in 32 bits.
func TestOpenAPI_Generators(t *testing.T) {
	t.Parallel()
	doc := api.Document(baseURL, paymentstest.CheckoutURL, appURL)
	if doc.Info.License.Identifier == "" || doc.Info.Contact.URL != appURL+"/docs" || doc.Docs.URL != appURL+"/docs" {
		t.Errorf("the license %v, the contact %v, the guides %v", doc.Info.License, doc.Info.Contact, doc.Docs)
	}
	amounts := 0
	var visit func(path string, s *openapi.Schema)
	visit = func(path string, s *openapi.Schema) {
		sent := strings.HasPrefix(path, "New")
		if s.Default != nil {
			t.Errorf("%s has a default, so generators require it", path)
		}
		if len(s.Properties) > 0 && (s.AdditionalProperties == false) != sent {
			t.Errorf("%s allows other members: %v", path, s.AdditionalProperties)
		}
		for _, m := range s.Properties {
			visit(path+"."+m.Name, m.Value)
			if m.Name == "amount" && slices.Contains(m.Value.Type, "integer") {
				if amounts++; m.Value.Format != "int64" {
					t.Errorf("%s.amount has the format %q", path, m.Value.Format)
				}
			}
		}
		if s.Items != nil {
			visit(path+"[]", s.Items)
		}
	}
	for _, schema := range doc.Components.Schemas {
		visit(schema.Name, schema.Value)
	}
	if amounts < 4 {
		t.Errorf("%d amounts", amounts)
	}
}

// The document is public, cached by its ETag, and limited by address.
func TestOpenAPI_Served(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{Public: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: 1e9, Burst: 3})})
	first := d.call(t, "GET", "/v1/openapi.json", "")
	etag := first.header.Get("ETag")
	if first.status != 200 || first.header.Get("Content-Type") != "application/json" || len(etag) < 10 {
		t.Fatalf("%d %s %q", first.status, first.header, etag)
	}
	want, err := json.Marshal(api.Document(baseURL, paymentstest.CheckoutURL, appURL))
	if err != nil || first.body != string(want) {
		t.Errorf("another document: %v", err)
	}
	if !jsontext.Value(want).IsValid() {
		t.Error("an object has a member twice")
	}
	if same := d.call(t, "GET", "/v1/openapi.json", "", "If-None-Match", etag); same.status != 304 || same.body != "" ||
		same.header.Get("ETag") != etag {
		t.Errorf("with its ETag: %d, %d bytes", same.status, len(same.body))
	}
	if other := d.call(t, "GET", "/v1/openapi.json", "", "If-None-Match", `"old"`); other.status != 200 {
		t.Errorf("with another ETag: %d", other.status)
	}
	if d.call(t, "GET", "/v1/openapi.json", "").refused(t, 429, "rate_limit_exceeded") != true {
		t.Error("a fourth request at once was accepted")
	}
	if len(d.seen) != 3 {
		t.Errorf("seen %v", d.seen)
	}
}

// All served operations are described, and all described operations are served.
func TestOpenAPI_Routes(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	var served, told []string
	for _, route := range d.app.GetRoutes(true) {
		if strings.HasPrefix(route.Path, "/v1/") && route.Method != http.MethodHead {
			served = append(served, route.Method+" "+route.Path)
		}
	}
	for path, item := range d.doc.Paths.Map() {
		for method := range item.Operations() {
			told = append(told, method+" "+idInPath.ReplaceAllString(path, ":id"))
		}
	}
	slices.Sort(served)
	slices.Sort(told)
	if diff := cmp.Diff(served, told); diff != "" {
		t.Errorf("operations (-served +described)\n%s", diff)
	}
}

// Every code has a meaning, is in the schema, and belongs to an operation. The only
// exception is the code for a wrong method.
func TestOpenAPI_Codes(t *testing.T) {
	t.Parallel()
	d := newDescribed(t, api.Limits{})
	ofOperations := map[string]bool{"405 method_not_allowed validation_error": true}
	for _, item := range d.doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				for _, code := range codesOf(response.Value) {
					ofOperations[status+" "+code+" "+typeOf(t, response.Value, code)] = true
				}
			}
		}
	}
	inSchema := map[string]bool{}
	for _, code := range d.doc.Components.Schemas["ErrorCode"].Value.Extensions["x-extensible-enum"].([]any) {
		inSchema[code.(string)] = true
	}
	codes := api.ErrorCodes()
	for _, c := range codes {
		if c.Meaning == "" || !inSchema[c.Code] {
			t.Errorf("%s: meaning %q, in the schema: %v", c.Code, c.Meaning, inSchema[c.Code])
		}
		name := jsonText(t, c.Status) + " " + c.Code + " " + c.Type
		if !ofOperations[name] {
			t.Errorf("no operation answers with %s", name)
		}
		delete(ofOperations, name)
	}
	if len(inSchema) != len(codes)-1 || len(ofOperations) != 0 { // internal_error has two statuses
		t.Errorf("%d codes, %d in the schema; unknown ones: %v", len(codes), len(inSchema), ofOperations)
	}
}

// typeOf returns the type in the example of a code.
func typeOf(t testing.TB, response *openapi3.Response, code string) string {
	t.Helper()
	example := response.Content["application/json"].Examples[code].Value.Value
	var f failure
	if err := json.Unmarshal([]byte(jsonText(t, example)), &f); err != nil || f.Error.Code != code {
		t.Errorf("the example of %s is %v: %v", code, example, err)
	}
	return f.Error.Type
}

// codesOf returns the codes that an answer may have.
func codesOf(response *openapi3.Response) (codes []string) {
	media := response.Content["application/json"]
	if media == nil || media.Schema.Ref != "#/components/schemas/Error" {
		return nil
	}
	return slices.Sorted(maps.Keys(media.Examples))
}

func jsonText(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
