// Package oidc asks an OpenID Connect provider who a person is: the Authorization Code flow with
// PKCE (RFC 7636). It alone uses the types of coreos/go-oidc.
package oidc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// callWithin bounds one request to the provider, and answerWithin those of one log-in together.
	callWithin   = 4 * time.Second
	answerWithin = 8 * time.Second
	// skew is how far the provider's clock may be behind.
	skew = time.Minute
	// maxSubject is the longest subject that the standard allows, in bytes.
	maxSubject = 255
)

var (
	// ErrUnavailable reports that the provider did not answer, or not as a provider does.
	ErrUnavailable = errors.New("oidc: the provider is unavailable")
	// ErrRefused reports an answer that proves nothing: a code that was used or belongs to another
	// question, a token of another audience or with another nonce, an old proof.
	ErrRefused = errors.New("oidc: the answer proves nothing")
)

// strongMethods are the values of amr (RFC 8176) that say that more than a password was used.
var strongMethods = []string{"mfa", "otp", "hwk", "sc"}

// Options describe a provider. All are required except StrongACR.
type Options struct {
	Issuer, ClientID, ClientSecret string
	Name                           string // for people
	StrongACR                      string // the acr that says that a second factor was used; "" for none
	Redirect                       string // the address at which the provider's answers arrive
	Now                            func() time.Time
}

// Provider is one provider. It is safe for concurrent use, and is not asked before the first log-in.
type Provider struct {
	Options
	client *http.Client
	mu     sync.Mutex
	found  *goidc.Provider // nil before the first answer to discovery
}

// New returns the provider without asking it anything.
func New(o Options) *Provider {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	return &Provider{Options: o, client: &http.Client{Transport: transport, Timeout: callWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Question is what a browser keeps between leaving for the provider and coming back.
type Question struct {
	State, Nonce, Verifier string
	Since                  time.Time // zero, or the time after which the person must have logged in there
}

// Ask returns a new question, and the address at the provider to which the browser goes with it. If
// fresh, the person must log in there again, even with a session.
func (p *Provider) Ask(ctx context.Context, fresh bool) (q Question, address string, err error) {
	found, err := p.discover(ctx)
	if err != nil {
		return q, "", err
	}
	q = Question{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	options := []oauth2.AuthCodeOption{goidc.Nonce(q.Nonce), oauth2.S256ChallengeOption(q.Verifier)}
	if p.StrongACR != "" {
		options = append(options, oauth2.SetAuthURLParam("acr_values", p.StrongACR))
	}
	if fresh {
		q.Since = p.Now().Add(-skew)
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return q, p.config(found).AuthCodeURL(q.State, options...), nil
}

func (p *Provider) config(found *goidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: found.Endpoint(),
		RedirectURL: p.Redirect, Scopes: []string{goidc.ScopeOpenID, "email", "profile"}}
}

// discover returns what the provider says about itself, which is asked for once.
func (p *Provider) discover(ctx context.Context) (*goidc.Provider, error) {
	p.mu.Lock()
	found := p.found
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	found, err := goidc.NewProvider(goidc.ClientContext(ctx, p.client), p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: discovery: %w", ErrUnavailable, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = found
	return found, nil
}

// Identity is who a person is at the provider.
type Identity struct {
	Issuer, Subject string
	Email           string // "" unless the provider says that it is verified
	Strong          bool   // a second factor was used
}

// Answer exchanges the code that came with a question's state. It fails with ErrRefused or
// ErrUnavailable.
func (p *Provider) Answer(ctx context.Context, q Question, code string) (who Identity, err error) {
	ctx, done := context.WithTimeout(goidc.ClientContext(ctx, p.client), answerWithin)
	defer done()
	found, err := p.discover(ctx)
	if err != nil {
		return who, err
	}
	tokens, err := p.config(found).Exchange(ctx, code, oauth2.VerifierOption(q.Verifier))
	if err != nil {
		return who, exchangeFailed(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	verifier := found.Verifier(&goidc.Config{ClientID: p.ClientID, Now: p.Now})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return who, verifyFailed(err)
	}
	var says claims
	if err := token.Claims(&says); err != nil {
		return who, fmt.Errorf("%w: claims: %w", ErrRefused, err)
	}
	if err := p.holds(q, token, says); err != nil {
		return who, err
	}
	who = Identity{Issuer: token.Issuer, Subject: token.Subject, Strong: p.strong(says)}
	if says.Email == "" { // the standard lets providers tell it at another address
		says, err = p.userInfo(ctx, found, tokens, token.Subject)
	}
	if says.Verified {
		who.Email = says.Email
	}
	return who, err
}

// holds fails with ErrRefused if a token, though the provider's, does not answer the question.
func (p *Provider) holds(q Question, token *goidc.IDToken, says claims) error {
	switch {
	case token.Nonce != q.Nonce:
		return fmt.Errorf("%w: another nonce", ErrRefused)
	case token.Subject == "" || len(token.Subject) > maxSubject:
		return fmt.Errorf("%w: a subject of %d bytes", ErrRefused, len(token.Subject))
	case !q.Since.IsZero() && time.Unix(says.AuthTime, 0).Before(q.Since.Truncate(time.Second)):
		return fmt.Errorf("%w: the person did not log in again", ErrRefused)
	}
	return nil
}

// strong reports whether a second factor was used.
func (p *Provider) strong(says claims) bool {
	return p.StrongACR != "" && says.ACR == p.StrongACR || slices.ContainsFunc(says.AMR, func(method string) bool {
		return slices.Contains(strongMethods, method)
	})
}

// userInfo returns the claims at the provider's other address. A provider without one has said
// everything in the token.
func (p *Provider) userInfo(ctx context.Context, found *goidc.Provider, tokens *oauth2.Token, subject string) (
	says claims, err error) {
	if found.UserInfoEndpoint() == "" {
		return says, nil
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return says, fmt.Errorf("%w: user info: %w", ErrUnavailable, err)
	}
	if info.Subject != subject {
		return says, fmt.Errorf("%w: the user info of another person", ErrRefused)
	}
	if err := info.Claims(&says); err != nil {
		return says, fmt.Errorf("%w: claims: %w", ErrRefused, err)
	}
	return says, nil
}
