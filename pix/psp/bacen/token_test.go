package bacen_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// Many calls at the same time share one request for a token.
func TestToken_Shared(t *testing.T) {
	t.Parallel()
	const calls = 50
	var arrived sync.WaitGroup
	arrived.Add(calls)
	p := play(t, answer(200, cob(t, nil)))
	give := p.token
	p.token = func(w http.ResponseWriter, r *http.Request) {
		arrived.Wait()
		give(w, r)
	}
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			arrived.Done()
			if _, err := p.Charge(t.Context(), txID); err != nil {
				t.Error(err)
			}
		})
	}
	if group.Wait(); p.tokensAsked() != 1 {
		t.Errorf("%d requests for tokens", p.tokensAsked())
	}
}

// A token is renewed at 80 % of its life, or 30 s before its end if that is earlier; if that fails,
// the old one is used until its end.
func TestToken_Renewed(t *testing.T) {
	t.Parallel()
	for life, renewed := range map[int]time.Duration{
		3600: 2880 * time.Second, 100: 70 * time.Second, 20: 16 * time.Second, 0: 4 * time.Minute,
	} {
		p := play(t, answer(200, cob(t, nil)))
		p.token = func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"access_token":"a","expires_in":"%d"}`, life)
		}
		for _, step := range []struct {
			wait time.Duration
			want int
		}{{0, 1}, {renewed - time.Second, 1}, {time.Second, 2}} {
			_ = p.Clock.Wait(t.Context(), step.wait)
			if _, err := p.Charge(t.Context(), txID); err != nil {
				t.Fatal(err)
			}
			if p.tokensAsked() != step.want {
				t.Errorf("life %d: %d requests, want %d", life, p.tokensAsked(), step.want)
			}
		}
		p.token = answer(500, "")
		_ = p.Clock.Wait(t.Context(), renewed)
		if _, err := p.Charge(t.Context(), txID); err != nil || p.tokensAsked() != 3 {
			t.Errorf("life %d: the old token is not used while the bank gives none: %v", life, err)
		}
	}
}

func TestToken_Styles(t *testing.T) {
	t.Parallel()
	const scopes = "cob.read+cob.write+pix.read+pix.write+webhook.read+webhook.write"
	const form, grant = "application/x-www-form-urlencoded ", "grant_type=client_credentials&scope=" + scopes
	for style, want := range map[bacen.TokenStyle]string{
		bacen.BasicForm:  "loja:client-secret " + form + grant,
		bacen.BasicJSON:  `loja:client-secret application/json {"grant_type":"client_credentials"}`,
		bacen.FormSecret: ": " + form + "client_id=loja&client_secret=client-secret&" + grant,
		bacen.FormIDOnly: ": " + form + "client_id=loja&" + grant,
	} {
		p := play(t, answer(200, cob(t, nil)), func(o *bacen.Options) { o.Profile.TokenStyle = style })
		give := p.token
		p.token = func(w http.ResponseWriter, r *http.Request) {
			id, secret, _ := r.BasicAuth()
			body, _ := io.ReadAll(r.Body)
			if got := id + ":" + secret + " " + r.Header.Get("Content-Type") + " " + string(body); got != want {
				t.Errorf("%s: got %q, want %q", style, got, want)
			}
			give(w, r)
		}
		if _, err := p.Charge(t.Context(), txID); err != nil {
			t.Error(err)
		}
	}
}

// One 401 costs one more call. If also a new token is refused, such calls fail for a minute without
// asking the bank.
func TestToken_Refused(t *testing.T) {
	t.Parallel()
	p := play(t, script(answer(401, ""), answer(200, cob(t, nil)), answer(401, "")))
	if _, err := p.Charge(t.Context(), txID); err != nil || p.tokensAsked() != 2 {
		t.Fatalf("after one 401: %v, %d tokens", err, p.tokensAsked())
	}
	_, err := p.Charge(t.Context(), txID)
	kind(t, err, psp.Unauthorized)
	before := len(p.seen())
	_, err = p.Charge(t.Context(), txID)
	if kind(t, err, psp.Unauthorized); len(p.seen()) != before {
		t.Errorf("calls %v", p.seen())
	}
	_ = p.Clock.Wait(t.Context(), time.Minute)
	_, err = p.Charge(t.Context(), txID)
	if kind(t, err, psp.Unauthorized); len(p.seen()) != before+2 {
		t.Errorf("after a minute: calls %v", p.seen())
	}
}

// A new token that works for one call and is refused for another is no proof against the credentials,
// whichever comes first.
func TestToken_RefusedOnce(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"works first": true, "refused first": false} {
		var p *played
		begun, refused, worked := make(chan bool), make(chan bool), make(chan error, 1)
		p = play(t, script(answer(401, ""), func(w http.ResponseWriter, _ *http.Request) { // the new token
			go func() {
				_, err := p.Charge(context.Background(), txID)
				worked <- err
			}()
			if <-begun; before {
				worked <- <-worked
			}
			w.WriteHeader(http.StatusUnauthorized)
		}, func(w http.ResponseWriter, r *http.Request) {
			if close(begun); !before {
				<-refused
			}
			answer(200, cob(t, nil))(w, r)
		}, answer(200, cob(t, nil))))
		_, err := p.Charge(t.Context(), txID)
		kind(t, err, psp.Unauthorized)
		close(refused)
		if err := <-worked; err != nil {
			t.Errorf("%s: the other call: %v", name, err)
		}
		if _, err := p.Charge(t.Context(), txID); err != nil {
			t.Errorf("%s: a later call: %v", name, err)
		}
	}
}

// Without a token nothing was carried out, whatever the bank answers. Refused credentials are not
// tried again for a minute.
func TestToken_None(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		kind   psp.Kind
		asked  int
	}{
		"secret wrong": {answer(401, `{"error":"invalid_client","error_description":"x"}`), psp.Unauthorized, 1},
		"bad request":  {answer(400, `{"error":"invalid_scope"}`), psp.Unauthorized, 1},
		"down":         {answer(503, ""), psp.Unavailable, 3},
		"lost":         {lost, psp.Unavailable, 3},
		"HTML":         {answer(200, "<html>"), psp.Unavailable, 3},
		"no token":     {answer(200, "{}"), psp.Unavailable, 3},
		"limited":      {answer(429, ""), psp.Limited, 3},
	} {
		p := play(t, answer(200, cob(t, nil)))
		p.token = tc.answer
		_, err := p.PutCharge(t.Context(), charge())
		if e := kind(t, err, tc.kind); p.tokensAsked() != tc.asked || !strings.Contains(e.Detail, "no token") {
			t.Errorf("%s: %v, asked %d times", name, err, p.tokensAsked())
		}
		if _, err := p.Charge(t.Context(), txID); err == nil || len(p.seen()) > 0 {
			t.Errorf("%s: %v, calls %v", name, err, p.seen())
		}
		if tc.kind == psp.Unauthorized && p.tokensAsked() != tc.asked {
			t.Errorf("%s: refused credentials were tried again", name)
		}
	}
}

// Only calls whose scope was not granted fail, and they name it.
func TestToken_Scopes(t *testing.T) {
	t.Parallel()
	p := play(t, answer(200, cob(t, nil)))
	p.token = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"access_token":"a","expires_in":300,"scope":"cob.read pix.read"}`)
	}
	if _, err := p.Charge(t.Context(), txID); err != nil {
		t.Error(err)
	}
	_, err := p.PutCharge(t.Context(), charge())
	if e := kind(t, err, psp.Forbidden); !strings.Contains(e.Detail, "cob.write") || len(p.seen()) != 1 {
		t.Errorf("%v, calls %v", err, p.seen())
	}
	if got := p.Health().Scopes; len(got) != 2 {
		t.Errorf("scopes %v", got)
	}
	p = play(t, answer(200, cob(t, nil)))
	p.token = answer(200, `{"access_token":"a","scope":"default"}`)
	if _, err := p.PutCharge(t.Context(), charge()); err != nil || p.Health().Scopes != nil {
		t.Errorf("with a word that is no scope: %v, %v", err, p.Health().Scopes)
	}
}

// A bank that refuses every token is not asked for more than the profile allows.
func TestToken_PerMinute(t *testing.T) {
	t.Parallel()
	p := play(t, answer(401, ""), func(o *bacen.Options) { o.Profile.TokensPerMinute = 2 })
	_, err := p.Charge(t.Context(), txID)
	kind(t, err, psp.Unauthorized)
	_, err = p.Payment(t.Context(), "E1") // another scope
	if kind(t, err, psp.Unavailable); p.tokensAsked() != 2 {
		t.Errorf("%v, %d requests", err, p.tokensAsked())
	}
}

// If the call that asks for a token is given up, another one asks.
func TestToken_GivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := play(t, answer(200, cob(t, nil)))
	give, asked, asks := p.token, make(chan bool), 0
	p.token = func(w http.ResponseWriter, r *http.Request) {
		if asks++; asks == 1 {
			close(asked)
			<-r.Context().Done()
			return
		}
		give(w, r)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := p.Charge(ctx, txID); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	<-asked
	for range 5 {
		group.Go(func() {
			if _, err := p.Charge(t.Context(), txID); err != nil {
				t.Error(err)
			}
		})
	}
	cancel()
	if group.Wait(); p.tokensAsked() != 2 {
		t.Errorf("%d requests for tokens", p.tokensAsked())
	}
}
