package bacen

import (
	"log/slog"
	"net/http"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/pix/psp"
)

// Client is one account at a bank. It is safe for concurrent use. It implements psp.Bank; Bank
// returns it with what the bank can do besides.
type Client struct {
	options        Options
	base, tokenURL string
	headers, query map[string]string // of every call
	transport      *http.Transport
	http           *http.Client
	tokens         tokens
	breaker        breaker
	limiter        *limiter
	queue          queue
	clock          clock
	secrets        secrets
	now            func() time.Time
	log            *slog.Logger
}

var _ psp.Bank = (*Client)(nil)

// New returns a client. It does not connect.
func New(o Options) (*Client, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	base, tokenURL, err := o.addresses()
	if err != nil {
		return nil, err
	}
	c := &Client{
		options: o, base: base, tokenURL: tokenURL, headers: o.fill(o.Profile.Headers), query: o.fill(o.Profile.Query),
		transport: newTransport(o), limiter: newLimiter(o), queue: queue{free: o.Profile.InFlight},
		breaker: breaker{now: o.Now}, now: o.Now, log: o.Log,
	}
	c.http = newHTTP(c.transport)
	c.tokens = tokens{request: c.requestToken, now: o.Now, refusals: map[string]refused{},
		working: map[string]int{}}
	for _, secret := range []string{o.NoticeToken, o.ClientSecret, o.Values["app_key"]} {
		c.secrets.add(secret)
	}
	return c, nil
}

// Close closes connections that no call uses. Calls under way end as usual.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Profile returns how the bank departs from API Pix.
func (c *Client) Profile() Profile { return c.options.Profile.clone() }

// Limits returns what keeps the client's calls below the bank's limits, by name. Each has one bucket, "".
// Processes that use the same account share them (see package ratelimit).
func (c *Client) Limits() map[string]*ratelimit.Limiter {
	l := c.limiter
	return map[string]*ratelimit.Limiter{"reads": l.reads, "old_reads": l.oldReads, "writes": l.writes,
		"tokens": l.tokens}
}

// Health is what the client knows about the bank without asking it.
type Health struct {
	SilentSince time.Time     // when the bank was found silent, and calls began to fail at once; else zero
	Skew        time.Duration // how much the bank's clock is ahead of ours
	Scopes      []string      // that the bank granted; nil if it does not say
}

// Health returns the state of the connection to the bank.
func (c *Client) Health() Health {
	return Health{SilentSince: c.breaker.since(), Skew: c.clock.skew(), Scopes: c.tokens.scopes()}
}

// Now implements psp.Bank. A difference of less than a second cannot be told from none,
// because the bank's time is known in whole seconds.
func (c *Client) Now() time.Time {
	if skew := c.clock.skew(); skew.Abs() >= time.Second {
		return c.now().Add(skew)
	}
	return c.now()
}

type (
	efiPayer    struct{ c *Client }
	efiDisputer struct{ c *Client }
)

// Bank returns c, which also implements psp.Payer and psp.Disputer exactly if the bank can do that.
func (c *Client) Bank() psp.Bank {
	payer, disputer := c.options.Profile.Payer == Efi, c.options.Profile.Disputer == Efi
	switch {
	case payer && disputer:
		return struct {
			*Client
			efiPayer
			efiDisputer
		}{c, efiPayer{c}, efiDisputer{c}}
	case payer:
		return struct {
			*Client
			efiPayer
		}{c, efiPayer{c}}
	case disputer:
		return struct {
			*Client
			efiDisputer
		}{c, efiDisputer{c}}
	}
	return c
}
