package bacen

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"garoupa/pix/psp"
)

// errAtOnce marks errors of this client after which it does not try again by itself.
var errAtOnce = errors.New("it is useless to try again now")

// kindOf returns the kind of an error, or "" for nil.
func kindOf(err error) psp.Kind {
	var e *psp.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	}
	return psp.Unavailable
}

// protocol returns an error about an answer that is not to be believed.
func protocol(detail string) *psp.Error { return &psp.Error{Kind: psp.Protocol, Detail: detail} }

// refusal is the body of an answer that is an error. Banks have at least five shapes of it:
// RFC 7807 with violacoes (API Pix), nome and mensagem, a list erros, statusCode with error and
// message, and error with error_description (RFC 6749, section 5.2).
type refusal struct {
	Type       text             `json:"type"`
	Title      text             `json:"title"`
	Detail     text             `json:"detail"`
	Violations list[brokenRule] `json:"violacoes"`

	Name    text `json:"nome"`
	Message text `json:"mensagem"`

	Errors list[struct {
		Code       text `json:"codigo"`
		Message    text `json:"mensagem"`
		Occurrence text `json:"ocorrencia"`
	}] `json:"erros"`

	OtherError   text `json:"error"`
	OtherMessage text `json:"message"`
	Description  text `json:"error_description"`
}

type brokenRule struct {
	Reason   text `json:"razao"`
	Property text `json:"propriedade"`
}

// name returns the bank's name of the error, without secrets.
func (r refusal) name(s *secrets) string {
	name := firstOf(r.Type, r.Name, r.OtherError)
	if name == "" && len(r.Errors) > 0 {
		name = string(r.Errors[0].Code)
	}
	return cut(path.Base("/"+s.without(name)), 64)
}

func (r refusal) detail(s *secrets) string {
	detail := firstOf(r.Detail, r.Message, r.Description, r.OtherMessage, r.Title)
	if detail == "" && len(r.Errors) > 0 {
		detail = string(r.Errors[0].Message)
	}
	return mask(s.without(detail))
}

func firstOf(texts ...text) string {
	for _, t := range texts {
		if t != "" {
			return string(t)
		}
	}
	return ""
}

// refusedBy returns the error of an answer whose status is not a success.
func (c *Client) refusedBy(status int, header http.Header, body []byte, write bool) *psp.Error {
	var r refusal
	_ = json.Unmarshal(body, &r) // what cannot be read, such as HTML, leaves the status to decide
	s := &c.secrets
	e := &psp.Error{Status: status, Type: strings.Trim(r.name(s), "/."), Detail: r.detail(s)}
	for _, v := range r.Violations {
		e.Violations = append(e.Violations, psp.Violation{
			Property: cut(s.without(string(v.Property)), 64), Reason: mask(s.without(string(v.Reason)))})
	}
	e.Kind = kindOfStatus(status, write)
	if e.Kind == psp.Invalid && slices.Contains(c.options.Profile.Conflicts, e.Type) && aboutExistence(e.Violations) {
		e.Kind = psp.Conflict
	}
	if e.Kind == psp.Limited || status == http.StatusServiceUnavailable {
		e.RetryAfter = retryAfter(header.Get("Retry-After"), c.now())
	}
	return e
}

func kindOfStatus(status int, write bool) psp.Kind {
	switch {
	case status == http.StatusUnauthorized:
		return psp.Unauthorized
	case status == http.StatusForbidden:
		return psp.Forbidden
	case status == http.StatusNotFound || status == http.StatusGone:
		return psp.NotFound
	case status == http.StatusConflict:
		return psp.Conflict
	case status == http.StatusTooManyRequests:
		return psp.Limited
	case status >= 500 && write || status == http.StatusRequestTimeout && write:
		return psp.Ambiguous
	case status >= 500 || status == http.StatusRequestTimeout:
		return psp.Unavailable
	case status >= 300 && status < 400:
		return psp.Protocol // a redirect, which no API Pix has
	}
	return psp.Invalid
}

// aboutExistence reports whether a refusal is about the record that exists and not about a field
// of the request.
func aboutExistence(violations []psp.Violation) bool {
	return !slices.ContainsFunc(violations, func(v psp.Violation) bool {
		field := v.Property[strings.LastIndexByte(v.Property, '.')+1:]
		return field != "status" && field != "txid" && field != "id" && field != ""
	})
}

// longestPause is the longest time that a bank's Retry-After is believed.
const longestPause = time.Minute

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3). It returns 0 for anything else,
// and longestPause at most.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		return time.Duration(min(max(seconds, 0), int(longestPause/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), longestPause)
	}
	return 0
}

// documents matches what may be a CPF or a CNPJ, which has letters since 2026.
var documents = regexp.MustCompile(`\b(\d{3}\.?\d{3}\.?\d{3}-?\d{2}` +
	`|[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\d{2})\b`)

// mask shortens a text of a bank to 200 characters and takes documents out of it.
func mask(s string) string { return cut(documents.ReplaceAllString(s, "***"), 200) }

// cut returns at most n characters of one line.
func cut(s string, n int) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	return string(runes[:min(n, len(runes))])
}

// withoutURL takes the URL out of an error of package http: it has the Pix key.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// unanswered returns the error of a call without a complete answer. sent tells whether the request
// had begun to leave.
func unanswered(err error, sent, write bool) *psp.Error {
	e := &psp.Error{Kind: psp.Unavailable, Err: withoutURL(err)}
	var (
		authority x509.UnknownAuthorityError
		expired   x509.CertificateInvalidError
		host      x509.HostnameError
		remote    *net.OpError
	)
	switch {
	case errors.As(err, &authority) || errors.As(err, &expired) || errors.As(err, &host):
		e.Detail = "the bank's certificate is not valid"
	case errors.As(err, &remote) && remote.Op == "remote error":
		// TLS 1.3: the bank refuses our certificate when the request has already left, and does
		// not read it (RFC 8446, section 4.4.2.4).
		e.Detail = "the bank refused the connection by TLS, perhaps because of our certificate"
	case sent && write:
		e.Kind = psp.Ambiguous
		e.Detail = "the answer did not come"
	case sent:
		e.Detail = "the answer did not come"
	default:
		e.Detail = "there was no connection"
	}
	return e
}
