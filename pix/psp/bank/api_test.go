package bank_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"garoupa/pix/psp/bank"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
)

// object is a JSON object.
type object = map[string]any

// api is the account's software: it calls a bank, and holds what it sends and gets against a
// description of the API.
type api struct {
	*banktest.Bank
	t      testing.TB
	client *http.Client
	token  string
	header http.Header // in every call
	query  string      // in every call
	router routers.Router
}

// described is where the central bank's own description is, if the tests shall use it instead of
// testdata/openapi.yaml. It is not part of this repository.
const described = "GAROUPA_BACEN_OPENAPI"

func newAPI(t testing.TB, profile string) *api {
	t.Helper()
	b := banktest.Serve(t, profile)
	a := &api{Bank: b, t: t, client: b.Client(t), header: http.Header{}}
	if profile == "generic" {
		a.router = describedRouter(t)
	}
	return a
}

// generic returns the software of an account at a bank that departs from nothing, with a token.
func generic(t testing.TB) *api {
	t.Helper()
	a := newAPI(t, "generic")
	a.authorize()
	return a
}

func describedRouter(t testing.TB) routers.Router {
	t.Helper()
	file := "testdata/openapi.yaml"
	if other := os.Getenv(described); other != "" {
		file = other
	}
	doc, err := openapi3.NewLoader().LoadFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil
	router, err := legacy.NewRouter(doc, openapi3.DisableExamplesValidation(),
		openapi3.DisableSchemaDefaultsValidation(), openapi3.DisableSchemaPatternValidation())
	if err != nil {
		t.Fatal(err)
	}
	return router
}

// authorize gets a token with all scopes, in the way of the generic profile.
func (a *api) authorize() {
	a.t.Helper()
	r := a.request(http.MethodPost, a.TokenURL(), "grant_type=client_credentials")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(a.Folder.Account.ClientID, a.Folder.Account.ClientSecret)
	status, body := a.send(r)
	token, _ := decode(a.t, body)["access_token"].(string)
	if status != http.StatusOK || token == "" {
		a.t.Fatalf("the token's answer is %d %s", status, body)
	}
	a.token = token
}

func (a *api) request(method, address, body string) *http.Request {
	a.t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	for name, values := range a.header {
		r.Header[name] = values
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.URL.RawQuery = strings.Trim(r.URL.RawQuery+"&"+a.query, "&")
	return r
}

// send sends a request and returns the answer's status and body. Every answer says that the bank
// is none.
func (a *api) send(r *http.Request) (int, []byte) {
	a.t.Helper()
	status, body, err := a.try(r)
	if err != nil {
		a.t.Fatal(err)
	}
	return status, body
}

func (a *api) try(r *http.Request) (int, []byte, error) {
	a.t.Helper()
	answer, err := a.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err
	}
	if answer.Header.Get(bank.Header) != bank.HeaderValue {
		a.t.Errorf("%s %s: the answer has no %s", r.Method, r.URL, bank.Header)
	}
	if a.router != nil && strings.HasPrefix(r.URL.Path, "/v2/") {
		a.check(r, answer.StatusCode, answer.Header, body)
	}
	return answer.StatusCode, body, nil
}

// check holds an exchange against the description: the answer always, the request if the bank
// took it.
func (a *api) check(r *http.Request, status int, header http.Header, body []byte) {
	a.t.Helper()
	sent := r.Clone(r.Context())
	sent.URL = &url.URL{Path: strings.TrimPrefix(r.URL.Path, "/v2"), RawQuery: r.URL.RawQuery}
	if r.GetBody != nil {
		sent.Body, _ = r.GetBody()
	}
	route, parameters, err := a.router.FindRoute(sent)
	if err != nil {
		a.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		return
	}
	input := &openapi3filter.RequestValidationInput{Request: sent, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
			// The central bank's description has loc.id of requests as read-only.
			ExcludeReadOnlyValidations: true,
		}}
	if status < 400 {
		if err := openapi3filter.ValidateRequest(a.t.Context(), input); err != nil {
			a.t.Errorf("%s %s sent what is not described: %v", r.Method, r.URL.Path, err)
		}
	}
	if err := openapi3filter.ValidateResponse(a.t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: input.Options,
	}); err != nil {
		a.t.Errorf("%s %s answered %d %s: %v", r.Method, r.URL.Path, status, body, err)
	}
}

// call calls the API with a body, an object or nil, and returns the answer.
func (a *api) call(method, path string, body object) (int, object) {
	a.t.Helper()
	status, got := a.send(a.request(method, a.Base()+path, encode(a.t, body)))
	return status, decode(a.t, got)
}

// must is call for what has to succeed with this status.
func (a *api) must(want int, method, path string, body object) object {
	a.t.Helper()
	status, got := a.call(method, path, body)
	if status != want {
		a.t.Fatalf("%s %s answered %d %v, not %d", method, path, status, got, want)
	}
	return got
}

// refused is call for what has to fail with this status and type of problem.
func (a *api) refused(want int, name, method, path string, body object) {
	a.t.Helper()
	status, got := a.call(method, path, body)
	kind, _ := got["type"].(string)
	if status != want || !strings.HasSuffix(kind, "/error/"+name) {
		a.t.Errorf("%s %s %v answered %d %v, not %d %s", method, path, body, status, got, want, name)
	}
}

func encode(t testing.TB, v object) string {
	t.Helper()
	if v == nil {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decode(t testing.TB, text []byte) (v object) {
	t.Helper()
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s is not an object: %v", text, err)
	}
	return v
}

// charge is the body of a charge of some amount, such as "49.90".
func (a *api) charge(amount string) object {
	return object{"calendario": object{"expiracao": 3600}, "valor": object{"original": amount},
		"chave": a.Folder.Account.PixKey}
}

// txID returns the nth TxID of a test.
func txID(n int) string { return fmt.Sprintf("teste%027d", n) }

// create puts the nth charge and returns its code.
func (a *api) create(n int, amount string) (code string) {
	a.t.Helper()
	code, _ = a.must(http.StatusCreated, "PUT", "/cob/"+txID(n), a.charge(amount))["pixCopiaECola"].(string)
	return code
}

// pay pays a code as the request says, and returns the EndToEndIDs.
func (a *api) pay(r control.PayRequest) []string {
	a.t.Helper()
	paid, err := a.Control.Pay(a.t.Context(), r)
	if err != nil {
		a.t.Fatal(err)
	}
	return paid.EndToEndIDs
}

// fault makes the bank fail.
func (a *api) fault(f control.Fault) {
	a.t.Helper()
	if err := a.Control.SetFault(a.t.Context(), f); err != nil {
		a.t.Fatal(err)
	}
}

// day is the query of a window around now.
func (a *api) day() string {
	at := func(hours time.Duration) string {
		return a.Clock.Now().UTC().Add(hours * time.Hour).Format(time.RFC3339)
	}
	return "?inicio=" + at(-12) + "&fim=" + at(12)
}
