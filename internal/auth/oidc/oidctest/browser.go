package oidctest

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// Browser is a browser at the provider, which keeps its session there.
type Browser struct {
	t    *testing.T
	at   *Provider
	http *http.Client
}

// Browser returns a browser without a session.
func (p *Provider) Browser(t *testing.T) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Browser{t: t, at: p, http: &http.Client{Jar: jar,
		CheckRedirect: func(request *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(request.URL.String(), p.Redirect) {
				return http.ErrUseLastResponse
			}
			return nil
		}}}
}

// LogIn follows the address of a question, logs in as the person with a subject if it is asked to, and returns the
// query of the address to which the provider leads back.
func (b *Browser) LogIn(address, subject string) url.Values {
	b.t.Helper()
	return b.finish(address, url.Values{"sub": {subject}, "do": {"log in"}})
}

// LogInWith is LogIn with an acr.
func (b *Browser) LogInWith(address, subject, acr string) url.Values {
	b.t.Helper()
	return b.finish(address, url.Values{"sub": {subject}, "do": {"log in"}, "acr": {acr}})
}

// Cancel is LogIn for a person who does not want to.
func (b *Browser) Cancel(address string) url.Values {
	b.t.Helper()
	return b.finish(address, url.Values{"do": {"cancel"}})
}

func (b *Browser) finish(address string, fields url.Values) url.Values {
	b.t.Helper()
	answer, err := b.http.Get(address)
	if err != nil {
		b.t.Fatal(err)
	}
	answer.Body.Close()
	if strings.Contains(answer.Request.URL.Path, "/interaction/") {
		if answer, err = b.http.PostForm(answer.Request.URL.String(), fields); err != nil {
			b.t.Fatal(err)
		}
		answer.Body.Close()
	}
	back, err := answer.Location()
	if err != nil || !strings.HasPrefix(back.String(), b.at.Redirect) {
		b.t.Fatalf("the provider answers %d at %s, and does not lead back: %v", answer.StatusCode,
			answer.Request.URL.Path, err)
	}
	return back.Query()
}
