package bacen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"garoupa/internal/tracing"
	"garoupa/pix/psp"
)

// testBankHeader is on all answers of the test bank of this module.
const testBankHeader = "X-Banco-De-Mentira"

// call is one request to the bank.
type call struct {
	op      string // for errors and the log
	method  string
	url     string // with the resource, without the profile's query
	query   url.Values
	headers map[string]string // besides the profile's
	body    []byte            // JSON, nil for none
	scope   string            // that the token must have
	time    time.Duration     // that one try may take
	rank    rank
	about   string                  // txid or other id, for the log
	check   func(body []byte) error // of an answer that is not empty: why it cannot be right; nil for none
}

func (k call) write() bool { return k.method != "" && k.method != http.MethodGet }

// url returns the address of a resource: its name, such as "cob", and what follows it.
func (c *Client) url(resource string, rest ...string) string {
	parts := []string{c.base}
	versions := c.options.Profile.Versions
	if v, special := versions[resource]; special {
		parts = append(parts, v)
	} else if v, special := versions["*"]; special {
		parts = append(parts, v)
	}
	parts = append(parts, resource)
	for _, r := range rest {
		parts = append(parts, url.PathEscape(r))
	}
	return strings.Join(parts, "/")
}

// once makes a call once, or twice if the bank did not accept the token. Its errors are *psp.Error.
func (c *Client) once(ctx context.Context, k call) ([]byte, error) {
	started := c.now()
	ctx, span := tracing.Call(ctx, "bank "+k.op)
	body, err := c.admitted(ctx, k)
	err = named(err, k.op)
	endSpan(span, err)
	c.report(ctx, k, err, c.now().Sub(started))
	return body, err
}

// named fills in what was asked.
func named(err error, op string) error {
	var e *psp.Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &e) {
		return &psp.Error{Kind: psp.Unavailable, Op: op, Err: err}
	}
	with := *e
	with.Op = op
	return &with
}

// admitted waits for the breaker, the limits and a place in the queue, and makes the call.
func (c *Client) admitted(ctx context.Context, k call) ([]byte, error) {
	if err := c.admit(ctx); err != nil {
		c.observe(k, err, 0)
		return nil, err
	}
	if err := c.limiter.enter(ctx, k.rank, k.write()); err != nil {
		return nil, err
	}
	if err := c.queue.enter(ctx, k.rank); err != nil {
		return nil, err
	}
	defer c.queue.leave()
	sent := c.now()
	body, err := c.authorized(ctx, k)
	c.observe(k, err, c.now().Sub(sent))
	var e *psp.Error
	if errors.As(err, &e) && e.Kind == psp.Limited {
		c.limiter.pause(max(e.RetryAfter, jitter(1)))
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, errAtOnce) { // neither tells anything about the bank
		c.breaker.note(kindOf(err))
	}
	return body, err
}

// admit fails at once if the bank is known to be silent. From time to time it finds out.
func (c *Client) admit(ctx context.Context) error {
	verdict := c.breaker.admit()
	if verdict == probe {
		answered := false
		defer func() { c.breaker.probed(answered) }()
		if answered = c.answers(ctx); answered {
			return nil
		}
	}
	if verdict == proceed {
		return nil
	}
	return &psp.Error{Kind: psp.Unavailable, Detail: "the bank has not answered for some time",
		RetryAfter: c.breaker.untilProbe(), Err: errAtOnce}
}

// answers reports whether the bank answers anything complete. A refusal is an answer too.
func (c *Client) answers(ctx context.Context) bool {
	t, err := c.tokens.get(ctx, "")
	if err != nil {
		return false
	}
	_, err = c.exchange(ctx, c.webhookCall(http.MethodGet, "probe"), t)
	var e *psp.Error
	return err == nil || errors.As(err, &e) && e.Status > 0
}

// authorized makes the call with a token, and once more with a new one if the bank refuses it (401).
func (c *Client) authorized(ctx context.Context, k call) ([]byte, error) {
	for try := 0; ; try++ {
		t, err := c.tokens.get(ctx, k.scope)
		if err != nil {
			return nil, err
		}
		if !t.grants(k.scope) {
			return nil, &psp.Error{Kind: psp.Forbidden, Detail: "the bank did not grant the scope " + k.scope}
		}
		body, err := c.exchange(ctx, k, t)
		switch {
		case err == nil:
			c.tokens.works(k.scope, t)
			if k.check != nil && len(body) > 0 {
				err = k.check(body)
			}
			return body, err
		case kindOf(err) != psp.Unauthorized:
			return body, err
		case try == 1: // the token is new, so it is not the reason
			c.tokens.refuse(k.scope, t, err)
			return nil, err
		}
		c.tokens.drop(t)
	}
}

// request returns the HTTP request of a call.
func (c *Client) request(ctx context.Context, k call, t token) (*http.Request, error) {
	u, err := url.Parse(k.url)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	for name, values := range k.query {
		query[name] = values
	}
	for name, value := range c.query {
		query.Set(name, value)
	}
	u.RawQuery = query.Encode()
	var body io.Reader
	if k.body != nil {
		body = bytes.NewReader(k.body)
	}
	r, err := http.NewRequestWithContext(ctx, k.method, u.String(), body)
	if err != nil {
		return nil, err
	}
	for _, headers := range []map[string]string{c.headers, k.headers} {
		for name, value := range headers {
			r.Header.Set(name, value)
		}
	}
	if k.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Authorization", "Bearer "+t.value)
	return r, nil
}

// exchange makes a call with a token.
func (c *Client) exchange(ctx context.Context, k call, t token) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, k.time)
	defer cancel()
	r, err := c.request(ctx, k, t)
	if err != nil {
		return nil, &psp.Error{Kind: psp.Invalid, Detail: "the request cannot be written", Err: withoutURL(err)}
	}
	return c.send(r, k.write())
}

// send sends a request and returns the body of a successful answer.
func (c *Client) send(r *http.Request, write bool) ([]byte, error) {
	var sent atomic.Bool
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
	}))
	if parent := tracing.Parent(r.Context()); parent != "" {
		r.Header.Set(tracing.Header, parent)
	}
	start := c.now()
	answer, err := c.http.Do(r)
	if err != nil {
		e := unanswered(err, sent.Load(), write)
		if c.now().After(c.options.Certificate.Leaf.NotAfter) {
			e.Detail = "the client certificate has ended" // banks drop the connection without a word
		}
		return nil, e
	}
	defer answer.Body.Close()
	c.clock.note(answer.Header, start, c.now())
	if answer.Header.Get(testBankHeader) != "" && !c.options.AllowTestBank {
		return nil, protocol("the answer is of the test bank, which holds no money")
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, unanswered(err, true, write)
	case len(body) > maxAnswer:
		return nil, protocol(fmt.Sprintf("the answer has more than %d bytes", maxAnswer))
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return nil, c.refusedBy(answer.StatusCode, answer.Header, body, write)
	}
	return body, nil
}
