package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// The same body, also in another spelling, returns the same checkout; any other body is a
// conflict (contract 5; docs/rules.md, "Idempotency").
func TestCreateCheckout_Idempotency(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const first = `{"amount":4990,"description":"Vaso","externalId":"p-1","metadata":{"a":"1","b":"é"}}`
	made := s.create(t, first, "Idempotency-Key", "k")
	if made.status != 201 {
		t.Fatalf("first: %d %s", made.status, made.body)
	}
	for name, body := range map[string]string{
		"the same":          first,
		"members reordered": `{"externalId":"p-1","metadata":{"b":"é","a":"1"},"description":"Vaso","amount":4990}`,
		"spaces between": ` { "amount" : 4990, "description":"Vaso",` + "\n\t" +
			`"externalId":"p-1","metadata":{"a":"1","b":"é"}}`,
		"characters escaped": `{"\u0061mount":4990,"description":"V\u0061so",` +
			`"externalId":"p-1","metadata":{"a":"1","b":"\u00e9"}}`,
	} {
		if a := s.create(t, body, "Idempotency-Key", "k"); a.status != 200 || a.id(t) != made.id(t) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for name, body := range map[string]string{
		"another amount":    strings.Replace(first, "4990", "4991", 1),
		"another text":      strings.Replace(first, "Vaso", "vaso", 1),
		"a member more":     strings.Replace(first, "{", `{"expiresIn":1800,`, 1),
		"a null more":       strings.Replace(first, "{", `{"customer":null,`, 1),
		"a member less":     `{"amount":4990,"description":"Vaso","externalId":"p-1"}`,
		"metadata changed":  strings.Replace(first, `"1"`, `"2"`, 1),
		"metadata swapped":  strings.Replace(first, `{"a":"1","b":"é"}`, `{"a":"é","b":"1"}`, 1),
		"space in the text": strings.Replace(first, "Vaso", "Vaso ", 1),
	} {
		if a := s.create(t, body, "Idempotency-Key", "k"); !a.refused(t, 409, "idempotency_conflict") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if n := s.checkouts(t); n != 1 {
		t.Errorf("%d checkouts, want 1", n)
	}
}

// Numbers are compared as text: two that a float cannot distinguish are different.
func TestCreateCheckout_IdempotencyNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if a := s.create(t, with("expiresIn", "1800"), "Idempotency-Key", "k"); a.status != 201 {
		t.Fatalf("first: %d %s", a.status, a.body)
	}
	for raw, want := range map[string]string{
		"1801":                 "409 idempotency_conflict",
		"1800.0":               "400 invalid_request_body", // the rules of fields come first
		"18446744073709551616": "422 invalid_expires_in",
	} {
		a := s.create(t, with("expiresIn", raw), "Idempotency-Key", "k")
		if got := strconv.Itoa(a.status) + " " + a.fault(t).Error.Code; got != want {
			t.Errorf("expiresIn %s: %s, want %s", raw, got, want)
		}
	}
}

// A repeated request gets the checkout in its current state.
func TestCreateCheckout_IdempotencyNow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	made := s.create(t, with(), "Idempotency-Key", "k")
	if err := s.SimulateExpiry(t.Context(), made.id(t)); err != nil {
		t.Fatal(err)
	}
	again := s.create(t, with(), "Idempotency-Key", "k")
	if again.status != 200 || plain(t, again.body)["status"] != "EXPIRED" || again.id(t) != made.id(t) {
		t.Errorf("got %d %s", again.status, again.body)
	}
}

// After a refused request its key can be used again, with any body.
func TestCreateCheckout_IdempotencyAfterRefusal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i, body := range []string{`{`, with("amount", "0"), with("expiresIn", "59"), with("amout", "1")} {
		key := "k" + strconv.Itoa(i)
		if a := s.create(t, body, "Idempotency-Key", key); a.status < 400 || a.status > 499 {
			t.Fatalf("%s: %d %s", body, a.status, a.body)
		}
		if a := s.create(t, with(), "Idempotency-Key", key); a.status != 201 {
			t.Errorf("after the refusal of %s: %d %s", body, a.status, a.body)
		}
	}
}

// Valid and invalid idempotency keys. A blank key counts as absent: nothing is repeated.
func TestCreateCheckout_IdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tc := range []struct {
		name, key string
		twice     int // the answer to the repetition
	}{
		{"of one character", "k", 200},
		{"of 255 characters", strings.Repeat("k", 255), 200},
		{"of 255 characters of two bytes", strings.Repeat("ã", 255), 200},
		{"with spaces around", "  around  ", 200},
		{"with a space inside", "a b", 200},
		{"of punctuation", `"'{}\%00;--`, 200},
		{"empty", "", 201},
		{"of spaces", "   ", 201},
		{"of 256 characters", strings.Repeat("k", 256), 400},
		{"with a tab", "a\tb", 400},
		{"with a bell", "a\x07b", 400},
		{"with DEL", "a\x7fb", 400},
		{"with a turn of direction", "a\u202eb", 400},
		{"of invalid UTF-8", "a\xffb", 400},
	} {
		first, second := s.create(t, with(), "Idempotency-Key", tc.key), s.create(t, with(), "Idempotency-Key", tc.key)
		if tc.twice == 400 {
			if !first.refused(t, 400, invalid) || !strings.Contains(first.fault(t).Error.Message, "Idempotency-Key") {
				t.Errorf("a key %s: %d %s", tc.name, first.status, first.body)
			}
			continue
		}
		if first.status != 201 || second.status != tc.twice || (first.id(t) == second.id(t)) != (tc.twice == 200) {
			t.Errorf("a key %s: %d %s, then %d %s", tc.name, first.status, first.body, second.status, second.body)
		}
	}
	around := s.create(t, with(), "Idempotency-Key", "around")
	if around.status != 200 {
		t.Errorf("spaces around a key are not trimmed: %d", around.status)
	}
}

// A key belongs to its project and environment.
func TestCreateCheckout_IdempotencyScope(t *testing.T) {
	t.Parallel()
	bank := &institution{}
	s := newSiteWith(t, bank)
	bank.Provider = s.Simulator
	s.Approve(t)
	seen := map[string]bool{}
	for name, secret := range map[string]string{
		"test": s.key, "live": s.Key(t, s.Live, "CHECKOUT:CREATE"), "another merchant": s.stranger(t),
	} {
		a := s.send(t, "POST", "/v1/checkouts", with(), "Authorization", "Bearer "+secret, "Idempotency-Key", "k")
		if a.status != 201 || seen[a.id(t)] {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		seen[a.id(t)] = true
	}
	other := s.Key(t, s.Test, "CHECKOUT:CREATE")
	a := s.send(t, "POST", "/v1/checkouts", with(), "Authorization", "Bearer "+other, "Idempotency-Key", "k")
	if a.status != 200 {
		t.Errorf("another API key of the project: %d %s", a.status, a.body)
	}
}

// Ten identical concurrent requests create one checkout: one gets 201, nine get 200 with
// the same body.
func TestCreateCheckout_Together(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	address := s.listen(t)
	answers := make([]answer, 10)
	var group errgroup.Group
	for i := range answers {
		group.Go(func() error {
			request, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+"/v1/checkouts",
				strings.NewReader(with()))
			if err != nil {
				return err
			}
			request.Host = "api.example"
			request.Header.Set("Authorization", "Bearer "+s.key)
			request.Header.Set("Idempotency-Key", "k")
			response, err := http.DefaultClient.Do(request)
			if err == nil {
				answers[i] = read(t, response)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	statuses, ids := map[int]int{}, map[string]int{}
	for _, a := range answers {
		statuses[a.status]++
		ids[a.id(t)]++
	}
	if statuses[201] != 1 || statuses[200] != 9 || len(ids) != 1 || s.checkouts(t) != 1 {
		t.Errorf("statuses %v, ids %v, %d checkouts", statuses, ids, s.checkouts(t))
	}
}
