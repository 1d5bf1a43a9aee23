package main

import (
	"crypto/hmac"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"garoupa/webhook"
)

// standardAge is how far webhook-timestamp may be from now for the libraries of Standard Webhooks.
const standardAge = 5 * time.Minute

// standardHeaders are the headers of Standard Webhooks as a receiver got them.
type standardHeaders struct{ id, timestamp, signature string }

func (h *standardHeaders) declare(flags *flag.FlagSet) {
	flags.StringVar(&h.id, "webhook-id", "", "the `header` webhook-id as received")
	flags.StringVar(&h.timestamp, "webhook-timestamp", "", "the `header` webhook-timestamp as received")
	flags.StringVar(&h.signature, "webhook-signature", "", "the `header` webhook-signature as received")
}

// given reports whether the headers are there. Some of them alone are an error.
func (h *standardHeaders) given() (bool, error) {
	all := h.id != "" && h.timestamp != "" && h.signature != ""
	if !all && h.id+h.timestamp+h.signature != "" {
		return false, errors.New("verify needs --webhook-id, --webhook-timestamp and --webhook-signature together")
	}
	return all, nil
}

// whyInvalid returns why the libraries of Standard Webhooks refuse the delivery at a time, or "".
func (h *standardHeaders) whyInvalid(secret string, body []byte, now time.Time) string {
	seconds, err := strconv.ParseInt(h.timestamp, 10, 64)
	if err != nil {
		return "webhook-timestamp must be whole seconds since 1970, as received"
	}
	at := time.Unix(seconds, 0)
	want, ok := webhook.SignStandard(secret, h.id, at, body)
	switch {
	case !ok:
		return "the secret must be whsec_ and base64, with nothing around it"
	case !h.signedAs(want):
		return h.whyOther(secret, body, at, want)
	}
	switch age := now.Sub(at).Round(time.Second); {
	case age > standardAge:
		return fmt.Sprintf("the signature is right, but webhook-timestamp is %s old: libraries refuse more than %s",
			age, standardAge)
	case age < -standardAge:
		return fmt.Sprintf("the signature is right, but webhook-timestamp is %s ahead of this machine's clock", -age)
	}
	return ""
}

// signedAs reports whether one of the signatures in the header, which has two during a rotation,
// is want.
func (h *standardHeaders) signedAs(want string) bool {
	for _, each := range strings.Fields(h.signature) {
		if hmac.Equal([]byte(each), []byte(want)) {
			return true
		}
	}
	return false
}

// whyOther returns why no signature of the header is the one of the delivery.
func (h *standardHeaders) whyOther(secret string, body []byte, at time.Time, want string) string {
	if !strings.HasPrefix(strings.TrimSpace(h.signature), "v1,") {
		return "webhook-signature begins with v1, and has base64 after it; x-svc-signature is another header"
	}
	for _, each := range mendedBodies(body) {
		if signature, _ := webhook.SignStandard(secret, h.id, at, each.body); h.signedAs(signature) {
			return each.why
		}
	}
	var event struct{ ID string }
	switch {
	case len(body) == 0:
		return "the body is empty"
	case !json.Valid(body):
		return "the body is not whole JSON: it was cut off or changed"
	case json.Unmarshal(body, &event) == nil && event.ID != "" && event.ID != h.id:
		return "webhook-id is not the id in the body, " + strconv.Quote(event.ID)
	}
	return "another secret signed it, or the time or the body was changed; with this secret the signature is " + want
}
