package bacen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"garoupa/internal/tracing"
	"garoupa/pix/psp"
)

const (
	tokenTime = 10 * time.Second // that a request for a token may take
	// unsaid is how long a token is used whose life the bank does not say.
	unsaid = 5 * time.Minute
	// refusedTime is how long refused credentials are not tried again.
	refusedTime = time.Minute
)

// token is an access token (RFC 6749, section 5.1).
type token struct {
	value          string
	scopes         []string // granted; nil if the bank does not say: all that were asked for
	renewAt, until time.Time
	issue          int // counts the tokens of an account; a bank may give the same one again
}

// grants reports whether calls that need the scope may use the token.
func (t token) grants(scope string) bool {
	return scope == "" || t.scopes == nil || slices.Contains(t.scopes, scope)
}

// tokens keeps the token of one account. It is safe for concurrent use.
type tokens struct {
	request func(context.Context) (token, error) // asks the bank
	now     func() time.Time

	mu      sync.Mutex
	current token
	flight  *flight // a request under way

	// refusals are what the credentials met, by the scope of the calls that were refused with a
	// new token; "" for the token itself.
	refusals map[string]refused
	issues   int
	working  map[string]int // the issue with which a call last succeeded, by the scope of the call
}

type refused struct {
	err   error
	at    time.Time
	issue int // of the token that was refused; 0 for none
}

// refusedNow keeps the error for later calls, which do not ask the bank.
func refusedNow(err error, at time.Time, issue int) refused {
	var e *psp.Error
	if errors.As(err, &e) {
		later := *e
		later.Err = errAtOnce
		err = &later
	}
	return refused{err, at, issue}
}

// flight is a request for a token, which all calls share.
type flight struct {
	done chan struct{} // closed at the end
	got  token
	err  error
	gone bool // the call that asked has ended before the bank answered
}

// get returns a token for calls that need the scope. The first call that finds it worn renews it;
// the others use it as long as it is valid, and else wait for the renewal.
func (s *tokens) get(ctx context.Context, scope string) (token, error) {
	for {
		s.mu.Lock()
		now := s.now()
		valid := s.current.value != "" && now.Before(s.current.until)
		switch {
		case scope != "" && s.refusal(scope) != nil:
			defer s.mu.Unlock()
			return token{}, s.refusal(scope)
		case valid && (now.Before(s.current.renewAt) || s.flight != nil):
			defer s.mu.Unlock()
			return s.current, nil
		case !valid && s.refusal("") != nil:
			defer s.mu.Unlock()
			return token{}, s.refusal("")
		case s.flight == nil:
			mine := &flight{done: make(chan struct{})}
			s.flight = mine
			s.mu.Unlock()
			return s.renew(ctx, mine)
		}
		shared := s.flight
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return token{}, &psp.Error{Kind: psp.Unavailable, Detail: "no token came", Err: ctx.Err()}
		case <-shared.done:
		}
		if !shared.gone {
			return shared.got, shared.err
		} // else another call asks
	}
}

// refusal returns the error of calls that need the scope, nil if they may be made.
func (s *tokens) refusal(scope string) error {
	r, known := s.refusals[scope]
	if !known || s.now().Sub(r.at) >= refusedTime {
		return nil
	}
	return r.err
}

// renew asks for a token, for all who wait. If that fails, a token that is still valid is used on.
func (s *tokens) renew(ctx context.Context, mine *flight) (token, error) {
	mine.err = &psp.Error{Kind: psp.Unavailable, Detail: "no token came"} // if request panics
	defer close(mine.done)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flight = nil
	}()
	got, err := s.request(ctx)

	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	switch {
	case err == nil:
		s.issues++
		got.issue = s.issues
		s.current = got
	case s.current.value != "" && now.Before(s.current.until):
		s.current.renewAt = now.Add(refusedTime / 6)
		got, err = s.current, nil
	case kindOf(err) == psp.Unauthorized:
		s.refusals[""] = refusedNow(err, now, 0)
	}
	mine.got, mine.err, mine.gone = got, err, err != nil && ctx.Err() != nil
	return got, err
}

// drop forgets a token that the bank refused, unless there is a newer one.
func (s *tokens) drop(refused token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current.issue == refused.issue {
		s.current = token{}
	}
}

// refuse makes calls that need the scope fail for some time, because the bank refuses them also with
// the new token t. If t works for another such call, before or after, the credentials are good.
func (s *tokens) refuse(scope string, t token, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working[scope] != t.issue {
		s.refusals[scope] = refusedNow(err, s.now(), t.issue)
	}
}

// works notes that a call that needs the scope succeeded with t.
func (s *tokens) works(scope string, t token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working[scope] = t.issue
	if s.refusals[scope].issue == t.issue {
		delete(s.refusals, scope)
	}
}

// scopes returns what the current token was granted, nil if the bank does not say or has given no
// token yet.
func (s *tokens) scopes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.current.scopes)
}

// requestToken asks the bank for a token by the profile's style.
func (c *Client) requestToken(ctx context.Context) (got token, err error) {
	ctx, span := tracing.Call(ctx, "bank token")
	defer func() { endSpan(span, err) }()
	d := c.limiter.tokens.Take("", c.now())
	if !d.Allowed {
		return token{}, &psp.Error{Kind: psp.Unavailable, Detail: "the limit of requests for tokens is reached",
			RetryAfter: d.RetryAfter, Err: errAtOnce}
	}
	sent := c.now()
	ctx, cancel := context.WithTimeout(ctx, tokenTime)
	defer cancel()
	r, err := c.tokenRequest(ctx)
	if err != nil {
		return token{}, &psp.Error{Kind: psp.Unavailable, Detail: "the request for a token cannot be written",
			Err: withoutURL(err)}
	}
	body, err := c.send(r, false)
	if err != nil {
		return token{}, tokenError(err)
	}
	answer, err := decode[struct {
		Value     text    `json:"access_token"`
		ExpiresIn integer `json:"expires_in"`
		Scope     text    `json:"scope"`
	}](body)
	if err != nil || answer.Value == "" {
		return token{}, tokenError(&psp.Error{Kind: psp.Protocol, Detail: "the answer has no access_token", Err: err})
	}
	got = token{value: string(answer.Value)}
	if scopes := strings.Fields(string(answer.Scope)); slices.ContainsFunc(scopes, c.asks) {
		got.scopes = scopes // else the word is not about scopes of API Pix
	}
	life := time.Duration(min(max(answer.ExpiresIn, 0), 86400)) * time.Second
	if life == 0 {
		life = unsaid
	}
	got.until, got.renewAt = sent.Add(life), sent.Add(life*8/10)
	if early := got.until.Add(-30 * time.Second); early.Before(got.renewAt) && early.After(sent) {
		got.renewAt = early
	}
	return got, nil
}

// asks reports whether a scope is one of those that the profile asks for.
func (c *Client) asks(scope string) bool { return slices.Contains(c.options.Profile.Scopes, scope) }

// tokenError tells errors of credentials from all others: without a token nothing was carried out.
func tokenError(err error) error {
	var e *psp.Error
	if !errors.As(err, &e) {
		return err
	}
	failed := *e
	failed.Detail = strings.TrimSuffix("no token: "+failed.Detail, ": ")
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusBadRequest || e.Status == http.StatusForbidden:
		failed.Kind = psp.Unauthorized
	case e.Kind != psp.Limited:
		failed.Kind = psp.Unavailable
	}
	return &failed
}

// tokenRequest returns a request for a token (RFC 6749, section 4.4.2).
func (c *Client) tokenRequest(ctx context.Context) (*http.Request, error) {
	o, contentType := c.options, "application/x-www-form-urlencoded"
	form := url.Values{"grant_type": {"client_credentials"}}
	if scopes := slices.Sorted(slices.Values(o.Profile.Scopes)); len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	switch o.Profile.TokenStyle {
	case FormSecret:
		form.Set("client_id", o.ClientID)
		form.Set("client_secret", o.ClientSecret)
	case FormIDOnly:
		form.Set("client_id", o.ClientID)
	}
	body := []byte(form.Encode())
	if o.Profile.TokenStyle == BasicJSON {
		contentType = "application/json"
		var err error
		if body, err = json.Marshal(map[string]string{"grant_type": "client_credentials"}); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.tokenURL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	if o.Profile.TokenStyle == BasicForm || o.Profile.TokenStyle == BasicJSON {
		r.SetBasicAuth(o.ClientID, o.ClientSecret)
	}
	return r, nil
}
