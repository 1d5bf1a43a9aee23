package bacen_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// limited answers 429 with a Retry-After.
func limited(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// The client waits as long as the bank says, a minute at most.
func TestLimited(t *testing.T) {
	t.Parallel()
	date := time.Now().Add(10 * time.Second).UTC().Format(http.TimeFormat)
	for after, want := range map[string][2]time.Duration{
		"2": {2 * time.Second, 2 * time.Second}, "3600": {time.Minute, time.Minute},
		date: {5 * time.Second, 10 * time.Second}, "": {0, 8 * time.Second}, "soon": {0, 8 * time.Second},
	} {
		p := play(t, script(limited(after), answer(200, cob(t, nil))))
		if _, err := p.Charge(t.Context(), txID); err != nil {
			t.Errorf("%q: %v", after, err)
		}
		// A look waits a quarter of a second more than a creation.
		if got := p.Clock.waited() - time.Second/4; got < want[0] || got > want[1] {
			t.Errorf("%q: waited %v, want %v", after, got, want)
		}
	}
}

// After a pause the list of new Pix continues with the creations, and the list of an old day last.
func TestLimited_Payments(t *testing.T) {
	t.Parallel()
	const list = `{"parametros":{"paginacao":{"paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,
		"quantidadeTotalDeItens":0}},"pix":[]}`
	for age, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, 48 * time.Hour: 2*time.Second + 500*time.Millisecond,
	} {
		p := play(t, script(limited("2"), answer(200, list)))
		before := p.Clock.Now()
		until := before.Add(-age)
		_, err := p.Payments(t.Context(), psp.Window{From: until.Add(-time.Minute), Until: until}, 0)
		if got := p.Clock.Now().Sub(before); err != nil || got != want {
			t.Errorf("the list of %v ago waited %v, want %v: %v", age, got, want, err)
		}
	}
}

// The pause is for the whole account. Creations continue first.
func TestLimited_Account(t *testing.T) {
	t.Parallel()
	p := play(t, script(limited("2"), limited("2"), limited("2"), answer(200, cob(t, nil))))
	_, err := p.Charge(t.Context(), txID)
	kind(t, err, psp.Limited)
	before := p.Clock.Now()
	if _, err := p.PutCharge(t.Context(), charge()); err != nil || p.Clock.Now().Sub(before) != 2*time.Second {
		t.Errorf("a creation waited %v: %v", p.Clock.Now().Sub(before), err)
	}
	// 15 seconds are over before the bank wants to be asked again.
	p = play(t, limited("60"))
	if _, err = p.PutCharge(t.Context(), charge()); len(p.seen()) != 1 {
		t.Errorf("calls %v", p.seen())
	}
	kind(t, err, psp.Limited)
}

// The profile's limits hold without a word of the bank.
func TestLimits_PerMinute(t *testing.T) {
	t.Parallel()
	p := play(t, answer(200, cob(t, nil)), func(o *bacen.Options) {
		o.Profile.ReadsPerMinute, o.Profile.WritesPerMinute = 4, 1
	})
	start := p.Clock.Now()
	for range 4 {
		if _, err := p.Charge(t.Context(), txID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.PutCharge(t.Context(), charge()); err != nil || p.Clock.Now() != start {
		t.Errorf("waited %v: %v", p.Clock.Now().Sub(start), err)
	}
	if _, err := p.Charge(t.Context(), txID); err != nil || p.Clock.Now().Sub(start) != 15*time.Second {
		t.Errorf("waited %v: %v", p.Clock.Now().Sub(start), err)
	}
}

// Old days use half of the reads, so that looks at young charges need not wait for them.
func TestLimits_OldDays(t *testing.T) {
	t.Parallel()
	p := play(t, answer(200, `{"pix":[]}`), func(o *bacen.Options) { o.Profile.ReadsPerMinute = 4 })
	start := p.Clock.Now()
	until := start.Add(-48 * time.Hour)
	for range 2 {
		if _, err := p.Payments(t.Context(), psp.Window{From: until.Add(-time.Hour), Until: until}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if p.Clock.Now() != start {
		t.Fatal("the first two waited")
	}
	if _, err := p.Payments(t.Context(), psp.Window{From: until, Until: until}, 0); err != nil {
		t.Fatal(err)
	}
	if waited := p.Clock.Now().Sub(start); waited != 30*time.Second {
		t.Errorf("the third waited %v", waited)
	}
}

// While the bank is silent calls fail at once, and one of them asks it from time to time.
func TestBreaker(t *testing.T) {
	t.Parallel()
	silent := true
	p := play(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case silent:
			lost(w, r)
		case strings.Contains(r.URL.Path, "/webhook/"):
			answer(403, "")(w, r)
		default:
			answer(200, cob(t, nil))(w, r)
		}
	})
	for range 2 {
		_, err := p.Charge(t.Context(), txID)
		kind(t, err, psp.Unavailable)
	}
	since := p.Health().SilentSince
	if len(p.seen()) != 5 || since.IsZero() {
		t.Fatalf("calls %v, silent since %v", p.seen(), since)
	}
	opened := p.Clock.Now()
	_, err := p.PutCharge(t.Context(), charge())
	if e := kind(t, err, psp.Unavailable); len(p.seen()) != 5 || e.RetryAfter <= 0 || p.Clock.Now() != opened {
		t.Fatalf("%v after %v, calls %v", err, p.Clock.Now().Sub(opened), p.seen())
	}
	_ = p.Clock.Wait(t.Context(), 5*time.Second)
	_, err = p.Charge(t.Context(), txID)
	if kind(t, err, psp.Unavailable); len(p.seen()) != 6 || p.seen()[5] != "GET /v2/webhook/"+pixKey {
		t.Fatalf("calls %v", p.seen())
	}
	silent = false
	_ = p.Clock.Wait(t.Context(), 10*time.Second)
	if _, err := p.Charge(t.Context(), txID); err != nil || !p.Health().SilentSince.IsZero() {
		t.Errorf("after the bank came back: %v, silent since %v", err, p.Health().SilentSince)
	}
}

// Calls that the contract does not include do not stop the others.
func TestBreaker_OneOperation(t *testing.T) {
	t.Parallel()
	p := play(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/webhook/") {
			answer(401, "")(w, r)
			return
		}
		answer(200, cob(t, nil))(w, r)
	})
	for range 10 {
		kind(t, p.RegisterNotices(t.Context(), "https://a.example"), psp.Unauthorized)
	}
	if _, err := p.PutCharge(t.Context(), charge()); err != nil || !p.Health().SilentSince.IsZero() {
		t.Errorf("%v, silent since %v", err, p.Health().SilentSince)
	}
}
