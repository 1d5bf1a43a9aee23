package bank_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"garoupa/pix/psp/bank"
	"garoupa/pix/psp/bank/control"
)

// at returns the software of an account at a bank of some profile, with a token. It knows no
// deviation but the way to a token and what every call must have.
func at(t *testing.T, profile string) *api {
	t.Helper()
	a := newAPI(t, profile)
	a.header.Set("x-conta-corrente", "1")
	a.header.Set("client_id", a.Folder.Account.ClientID)
	a.query = "gw-dev-app-key=1"
	account := a.Folder.Account
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {account.ClientID},
		"client_secret": {account.ClientSecret}}
	r := a.request("POST", a.TokenURL(), form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if profile == "efi" {
		r = a.request("POST", a.TokenURL(), `{"grant_type":"client_credentials"}`)
	}
	r.SetBasicAuth(account.ClientID, account.ClientSecret)
	_, body := a.send(r)
	a.token, _ = decode(t, body)["access_token"].(string)
	return a
}

// A charge is created, read and paid at each bank, in its own way.
func TestProfile(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]struct {
		base, charges string
		created       int
		code          string
		again         string // the answer to a second PUT
	}{
		"generic":   {"/v2", "/v2", 201, "pixCopiaECola", "201"},
		"efi":       {"/v2", "/v2", 201, "pixCopiaECola", "409 txid_duplicado"},
		"inter":     {"/pix/v2", "/pix/v2", 201, "pixCopiaECola", "201"},
		"bb":        {"/pix/v2", "/pix/v2", 200, "pixCopiaECola", "200"},
		"itau":      {"/pix_recebimentos/v2", "/pix_recebimentos/v2", 201, "pixCopiaECola", "201"},
		"santander": {"/api/v1", "/api/v1", 200, "pixCopiaECola", "200"},
		"bradesco":  {"/v2", "/v2", 200, "pixCopiaECola", "200"},
		"sicoob":    {"/pix/api/v2", "/pix/api/v2", 201, "brcode", "201"},
		"sicredi":   {"/api/v2", "/api/v3", 201, "pixCopiaECola", "201"},
		"c6":        {"/v2/pix", "/v2/pix", 200, "pixCopiaECola", "200"},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			a := at(t, profile)
			if a.Base() != a.URL()+want.base || a.ChargeBase() != a.URL()+want.charges {
				t.Errorf("it serves %s and %s", a.Base(), a.ChargeBase())
			}
			put := func() (int, object) {
				status, body := a.send(a.request("PUT", a.ChargeBase()+"/cob/"+txID(1), encode(t, a.charge("1.00"))))
				return status, decode(t, body)
			}
			status, charge := put()
			code, _ := charge[want.code].(string)
			if status != want.created || code == "" {
				t.Errorf("the charge is %d %v", status, charge)
			}
			status, again := put()
			if got := strings.TrimSuffix(fmt.Sprint(status, " ", again["nome"]), " <nil>"); got != want.again {
				t.Errorf("a second PUT is %s", got)
			}
			ids := a.pay(control.PayRequest{Code: code})
			if p := a.must(http.StatusOK, "GET", "/pix/"+ids[0], nil); p["valor"] != "1.00" {
				t.Errorf("the payment is %v", p)
			}
		})
	}
}

// Banks differ in what they demand, and in their errors.
func TestProfile_Deviations(t *testing.T) {
	t.Parallel()
	find := func(profile string, change func(*api)) string {
		a := at(t, profile)
		change(a)
		status, body := a.send(a.request("GET", a.ChargeBase()+"/cob/"+txID(1), ""))
		return fmt.Sprint(status, " ", string(body))
	}
	nothing := func(*api) {}
	for name, c := range map[string]struct {
		profile string
		change  func(*api)
		want    string
	}{
		"the account's header is missing": {"inter", func(a *api) { a.header.Del("x-conta-corrente") }, "400 "},
		"the client's header is missing":  {"sicoob", func(a *api) { a.header.Del("client_id") }, "400 "},
		"the application's key is absent": {"bb", func(a *api) { a.query = "" }, "400 "},
		"errors of Banco do Brasil":       {"bb", nothing, `404 {"erros":[{"codigo":"404"`},
		"errors of Efí":                   {"efi", nothing, `404 {"mensagem":`},
		"a status as text":                {"itau", nothing, `"status":"404"`},
	} {
		if got := find(c.profile, c.change); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	a := at(t, "santander")
	status, _ := a.send(a.request("POST", a.Base()+"/cob", encode(t, a.charge("1.00"))))
	_, body := a.send(a.request("PUT", a.Base()+"/cob/"+txID(1), encode(t, a.charge("1.00"))))
	created := decode(t, body)["calendario"].(object)["criacao"].(string)
	if status != http.StatusNotFound || len(created) != len("2026-11-20T12:00:00Z") {
		t.Errorf("POST is %d, a time %s", status, created)
	}
	sicredi := at(t, "sicredi")
	if status, _ := sicredi.call("GET", "/loc"+sicredi.day(), nil); status != http.StatusForbidden {
		t.Errorf("a scope that is never granted opens %d", status)
	}
}

// Efí registers an address only if it refuses calls without a certificate.
func TestProfile_Probes(t *testing.T) {
	t.Parallel()
	a := at(t, "efi")
	path := "/webhook/" + a.Folder.Account.PixKey
	careless := a.listen(nil)
	if status, got := a.call("PUT", path, object{"webhookUrl": careless.URL}); status != http.StatusBadRequest {
		t.Errorf("an address that takes everything: %d %v", status, got)
	}
	a.header.Set("x-skip-mtls-checking", "true")
	a.must(http.StatusOK, "PUT", path, object{"webhookUrl": careless.URL})
	a.header.Del("x-skip-mtls-checking")
	careful := a.listen(func(n notice) int {
		if n.proven {
			return http.StatusOK
		}
		return http.StatusUnauthorized
	})
	a.must(http.StatusOK, "PUT", path, object{"webhookUrl": careful.URL})
}

// An unknown profile and an address that others can reach are refused.
func TestNew_Refused(t *testing.T) {
	t.Parallel()
	b := generic(t)
	b.Stop()
	for want, o := range map[string]bank.Options{
		"there are bb, bradesco":  {Profile: "stone"},
		"reached by other":        {Address: "0.0.0.0:8443"},
		"is not host:port":        {Address: "localhost"},
		"by other machines; a b":  {Address: "banco.example:8443"},
		"another process uses it": {Address: "localhost:0"},
	} {
		o.Folder = b.Folder
		if want == "another process uses it" {
			b.Start(t)
		}
		s, err := bank.New(o)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
