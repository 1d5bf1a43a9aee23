package webhook

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"
	"unicode/utf8"
)

const (
	// SnippetLimit is the maximal length of an [Outcome]'s ResponseSnippet, in bytes.
	SnippetLimit = 2 << 10

	// snippetTime is how long an answer's body is read after its headers. A body that takes
	// longer is cut off, with its connection: the place of the attempt is needed for others.
	snippetTime = 250 * time.Millisecond
	maxBodyRead = 64 << 10
	userAgent   = "Garoupa-Webhooks/1.0"
	timeFormat  = "2006-01-02T15:04:05.000Z"
)

// Attempt is one delivery of one event to one endpoint.
type Attempt struct {
	URL            string
	Secret         string
	PreviousSecret string    // signs too during a rotation; otherwise ""
	EventID        string    // evt_…, the same at every attempt
	Number         int       // 1 for the first
	At             time.Time // sent as x-svc-timestamp and webhook-timestamp
	Body           []byte    // the envelope, sent byte for byte
	Live           bool      // refuses http, see [CheckURL]
	// Headers are sent too, for a developer's machine. They replace none of the attempt's own.
	Headers http.Header
}

// Outcome is the result of an [Attempt].
type Outcome struct {
	OK         bool          // any 2xx whose headers came in time
	Class      Class         // of the failure; "" on success
	Detail     string        // a few English words about the failure, without addresses, URL or secrets
	StatusCode int           // 0 unless the endpoint answered
	Duration   time.Duration // until the last byte of the answer's headers, or the failure
	RetryAfter time.Duration // that an answer other than a success asks for, at most MaxRetryAfter
	// RequestHeaders are the headers of the attempt, without those that HTTP itself adds.
	RequestHeaders http.Header
	// ResponseSnippet is the start of the answer's body as valid UTF-8 without
	// NUL, at most SnippetLimit bytes. Compressed bodies are not unpacked.
	ResponseSnippet []byte
}

// Post makes the attempt. It takes the client's timeout at most, and follows no redirect.
// If the headers of a 2xx came in time, the body changes nothing: what has not arrived a
// quarter of a second later is cut off.
//
// An attempt posts the event once. It is sent again only if the endpoint had closed a kept
// connection before anything of the event came to it (see [sending]). If ctx itself ends, the
// outcome says nothing about the endpoint and must not be recorded: check ctx.Err.
func (c *Client) Post(ctx context.Context, a Attempt) Outcome {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	out := Outcome{RequestHeaders: a.headers()}
	var reached progress
	start := time.Now()
	resp, err := c.send(ctx, a, out.RequestHeaders, &reached)
	out.Duration = time.Since(start)
	if err != nil {
		out.Class, out.Detail = classify(err, reached.phase())
		return out
	}
	out.StatusCode = resp.StatusCode
	out.Class, out.Detail = classifyStatus(resp.StatusCode)
	if out.OK = out.Class == ""; !out.OK {
		out.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	if resp.Body != http.NoBody {
		slow := time.AfterFunc(snippetTime, cancel)
		out.ResponseSnippet = readSnippet(resp.Body)
		slow.Stop()
	}
	cancel() // so that Close does not wait for more
	resp.Body.Close()
	return out
}

// send posts the event. Every kept connection may have been closed meanwhile.
func (c *Client) send(ctx context.Context, a Attempt, headers http.Header, reached *progress) (
	resp *http.Response, err error) {
	if err := CheckURL(a.URL, a.Live, c.allowPrivate); err != nil {
		return nil, err
	}
	ctx = httptrace.WithClientTrace(ctx, reached.trace())
	for range idlePerHost + 1 {
		// net/http repeats a POST by itself only if it wrote no byte of it.
		req, invalid := http.NewRequestWithContext(ctx, http.MethodPost, a.URL, bytes.NewReader(a.Body))
		if invalid != nil {
			return nil, invalid
		}
		req.Header = headers // which no transport changes
		if resp, err = c.transport.RoundTrip(req); err == nil || ctx.Err() != nil || !reached.unreceived(err) {
			return resp, err
		}
	}
	return nil, err
}

func (a Attempt) headers() http.Header {
	headers := a.Headers.Clone()
	if headers == nil {
		headers = make(http.Header)
	}
	headers.Set("Content-Type", "application/json")
	headers.Set("User-Agent", userAgent)
	headers.Set("x-svc-signature", Sign(a.Secret, a.Body))
	if a.PreviousSecret != "" {
		headers.Set("x-svc-signature-previous", Sign(a.PreviousSecret, a.Body))
	}
	headers.Set("x-svc-event-id", a.EventID)
	headers.Set("x-svc-timestamp", a.At.UTC().Format(timeFormat))
	headers.Set("x-svc-attempt", strconv.Itoa(a.Number))
	a.addStandard(headers)
	return headers
}

// readSnippet returns the start of the body. It usually reads enough for the connection to be
// reused. A read error ends the body and is dropped, because the outcome no longer depends on
// it.
func readSnippet(body io.Reader) []byte {
	body = io.LimitReader(body, maxBodyRead)
	start, err := io.ReadAll(io.LimitReader(body, SnippetLimit))
	if err == nil {
		_, _ = io.Copy(io.Discard, body)
	}
	return mend(start)
}

// mend returns start as text that can be stored: it drops a character that was cut in two at
// the end, and replaces NUL and bytes that are not UTF-8.
func mend(start []byte) []byte {
	for i := max(0, len(start)-utf8.UTFMax+1); i < len(start); i++ {
		if !utf8.FullRune(start[i:]) {
			start = start[:i]
		}
	}
	text := bytes.ToValidUTF8(start, []byte("\uFFFD"))
	text = bytes.ReplaceAll(text, []byte{0}, []byte("\uFFFD"))
	if len(text) <= SnippetLimit {
		return text
	}
	end := SnippetLimit
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
