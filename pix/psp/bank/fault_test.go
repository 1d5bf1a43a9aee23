package bank_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp/bank/control"
)

// A fault happens as often as it was asked for, on the paths it was asked for.
func TestFault_TimesAndPath(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.fault(control.Fault{Name: "403", On: "/cob/", Times: 2})
	a.must(http.StatusOK, "GET", "/pix"+a.day(), nil)
	a.refused(http.StatusForbidden, "AcessoNegado", "PUT", "/cob/"+txID(1), a.charge("1.00"))
	a.refused(http.StatusForbidden, "AcessoNegado", "GET", "/cob/"+txID(1), nil)
	a.create(1, "1.00")

	for _, path := range []string{"/cob", "/loc"} { // the second does not replace the first
		a.fault(control.Fault{Name: "403", On: path, Times: 1})
	}
	a.refused(http.StatusForbidden, "AcessoNegado", "GET", "/cob/"+txID(1), nil)
	a.refused(http.StatusForbidden, "AcessoNegado", "GET", "/loc/1", nil)

	a.fault(control.Fault{Name: "403"})
	for range 3 {
		a.refused(http.StatusForbidden, "AcessoNegado", "GET", "/cob/"+txID(1), nil)
	}
	if err := a.Control.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
}

// What a person asks for is checked.
func TestFault_Refused(t *testing.T) {
	t.Parallel()
	a := generic(t)
	for want, f := range map[string]control.Fault{
		"is not a fault":   {Name: "flood"},
		"needs a value":    {Name: "slow"},
		"needs a duration": {Name: "lag", Value: "soon"},
		"needs a seed":     {Name: "random", Value: "-1"},
		"less than 0":      {Name: "reset", Times: -1},
	} {
		if err := a.Control.SetFault(t.Context(), f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// Faults that lose an answer: some after the work was done, and some before.
func TestFault_Answers(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.router = nil // some answers are none of the API
	for n, c := range []struct {
		name   string
		status int // 0: the connection ends
		done   bool
	}{
		{"drop-answer", 0, true}, {"reset", 0, false}, {"401", 401, false}, {"403", 403, false}, {"429", 429, false},
		{"500-done", 500, true}, {"500-undone", 500, false},
	} {
		a.fault(control.Fault{Name: c.name, Times: 1})
		r := a.request("PUT", a.ChargeBase()+"/cob/"+txID(n), encode(t, a.charge("1.00")))
		r.GetBody = nil // the transport must not send it again by itself
		status, body, err := a.try(r)
		if status != c.status || (err == nil) != (c.status > 0) {
			t.Errorf("%s: %d %s, %v", c.name, status, body, err)
		}
		want := http.StatusNotFound
		if c.done {
			want = http.StatusOK
		}
		if status, _ := a.call("GET", "/cob/"+txID(n), nil); status != want {
			t.Errorf("%s: afterwards the charge is %d, not %d", c.name, status, want)
		}
	}
}

// A bank that hangs answers when the client has given up, that is never.
func TestFault_Hang(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.fault(control.Fault{Name: "hang", Times: 1})
	a.client.Timeout = 50 * time.Millisecond
	if status, _, err := a.try(a.request("GET", a.Base()+"/pix"+a.day(), "")); err == nil {
		t.Errorf("it answered %d", status)
	}
	a.client.Timeout = 0
	a.must(http.StatusOK, "GET", "/pix"+a.day(), nil)
}

// What was written is not read for a while.
func TestFault_Lag(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.fault(control.Fault{Name: "lag", Value: "8s"})
	ids := a.pay(control.PayRequest{Code: a.create(1, "1.00")})
	a.refused(http.StatusNotFound, "CobNaoEncontrada", "GET", "/cob/"+txID(1), nil)
	a.refused(http.StatusNotFound, "PixNaoEncontrado", "GET", "/pix/"+ids[0], nil)
	if got := a.must(http.StatusOK, "GET", "/pix"+a.day(), nil); len(got["pix"].([]any)) != 0 {
		t.Errorf("the list has %v", got)
	}
	a.Clock.Add(9 * time.Second)
	a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
	a.must(http.StatusOK, "GET", "/pix/"+ids[0], nil)
}

// Faults in the answer of a charge: a connector that believes them shows a wrong code.
func TestFault_Codes(t *testing.T) {
	t.Parallel()
	a := generic(t)
	put := func(n int, name string) object {
		a.fault(control.Fault{Name: name, Times: 1})
		return a.must(http.StatusCreated, "PUT", "/cob/"+txID(n), a.charge("49.90"))
	}
	text, _ := put(1, "wrong-amount")["pixCopiaECola"].(string)
	if code, err := pix.Parse(text); err != nil || code.Amount != 4991 {
		t.Errorf("wrong-amount: %+v, %v", code, err)
	}
	text, _ = put(2, "bad-crc")["pixCopiaECola"].(string)
	if _, err := pix.Parse(text); err == nil || text == "" {
		t.Errorf("bad-crc: %q can be read", text)
	}
	if c := put(3, "no-code"); c["pixCopiaECola"] != nil || c["location"] == nil {
		t.Errorf("no-code: %v", c)
	}
	a.router = nil // the status is foreign to the description
	if c := put(4, "foreign-status"); c["status"] != "EM_ANALISE" {
		t.Errorf("foreign-status: %v", c)
	}
}

// Another charge, of another amount, stands under the TxID.
func TestFault_OtherCharge(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.router = nil // 409 is not in the central bank's description, although some banks answer it
	a.fault(control.Fault{Name: "other-charge", Times: 1})
	if status, got := a.call("PUT", "/cob/"+txID(1), a.charge("49.90")); status != http.StatusConflict {
		t.Errorf("the answer is %d %v", status, got)
	}
	c := a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
	if c["valor"].(object)["original"] != "49.91" {
		t.Errorf("the charge is %v", c)
	}
}

// Each page is read while the newest payment arrives: one payment comes twice, one is missing, and
// only the total tells.
func TestFault_ShiftPages(t *testing.T) {
	t.Parallel()
	a := generic(t)
	var ids []string
	for n := range 4 {
		ids = append(ids, a.pay(control.PayRequest{Code: a.create(n, "1.00")})...)
	}
	a.fault(control.Fault{Name: "shift-pages"})
	read := func(page string) (found string, total float64) {
		query := a.day() + "&paginacao.itensPorPagina=2&paginacao.paginaAtual=" + page
		got := a.must(http.StatusOK, "GET", "/pix"+query, nil)
		for _, p := range got["pix"].([]any) {
			found += p.(object)["endToEndId"].(string) + " "
		}
		return found, got["parametros"].(object)["paginacao"].(object)["quantidadeTotalDeItens"].(float64)
	}
	first, total := read("0")
	second, later := read("1")
	if first != ids[2]+" "+ids[1]+" " || second != ids[1]+" "+ids[0]+" " || total != 3 || later != 4 {
		t.Errorf("the pages are %s of %v and %s of %v; the payments are %v", first, total, second, later, ids)
	}
}

// The bank's clock can be wrong, in the Date of answers too.
func TestFault_Skew(t *testing.T) {
	t.Parallel()
	a := generic(t)
	a.fault(control.Fault{Name: "skew", Value: "-1h"})
	a.create(1, "1.00")
	c := a.must(http.StatusOK, "GET", "/cob/"+txID(1), nil)
	created, err := time.Parse(time.RFC3339, c["calendario"].(object)["criacao"].(string))
	if behind := time.Since(created); err != nil || behind < 59*time.Minute || behind > 61*time.Minute {
		t.Errorf("created %s ago, %v", behind, err)
	}
}

// Tokens can be refused, or have fewer scopes than were asked for.
func TestFault_Tokens(t *testing.T) {
	t.Parallel()
	a := newAPI(t, "generic")
	a.fault(control.Fault{Name: "token-down", Times: 1})
	r := a.request("POST", a.TokenURL(), "grant_type=client_credentials")
	r.SetBasicAuth(a.Folder.Account.ClientID, a.Folder.Account.ClientSecret)
	if status, body := a.send(r); status != http.StatusServiceUnavailable {
		t.Errorf("token-down: %d %s", status, body)
	}
	a.fault(control.Fault{Name: "fewer-scopes"})
	a.authorize()
	a.refused(http.StatusForbidden, "AcessoNegado", "PUT", "/cob/"+txID(1), a.charge("1.00"))
	a.must(http.StatusOK, "GET", "/pix"+a.day(), nil)
}

// The same seed makes the same calls fail.
func TestFault_Random(t *testing.T) {
	t.Parallel()
	outcomes := func() (all string) {
		a := generic(t)
		a.router = nil
		a.client = a.Client(t)
		a.client.Transport.(*http.Transport).DisableKeepAlives = true // no call is sent again by itself
		a.fault(control.Fault{Name: "random", Value: "7", On: "/pix"})
		for range 40 {
			status, _, err := a.try(a.request("GET", a.Base()+"/pix"+a.day(), ""))
			if err != nil {
				status = 0
			}
			all += http.StatusText(status) + ";"
		}
		return all
	}
	first := outcomes()
	if second := outcomes(); first != second || strings.Count(first, "OK;") == 40 || !strings.Contains(first, "OK;") {
		t.Errorf("the outcomes are\n%s\n%s", first, second)
	}
}
