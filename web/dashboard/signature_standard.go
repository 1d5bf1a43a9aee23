package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/webhook"
)

// standardPrefix begins a signature of Standard Webhooks, by which the checker knows it.
const standardPrefix = "v1,"

// judgeStandard compares a signature of Standard Webhooks with those of all attempts: each has a
// time of its own. previous is "" if no previous secret signs.
func judgeStandard(typed, secret, previous string, d *models.Delivery, attempts []models.Attempt) string {
	for _, a := range attempts {
		seconds, err := strconv.ParseInt(webhook.Sent(a.Headers, d.Event.ID, a.StartedAt).Get("webhook-timestamp"),
			10, 64)
		if err != nil {
			continue
		}
		at := time.Unix(seconds, 0)
		matches := func(secret string, body []byte) bool {
			signature, ok := webhook.SignStandard(secret, d.Event.ID, at, body)
			return ok && same(typed, signature)
		}
		switch {
		case matches(secret, d.Event.Body):
			return pages.SignatureStandard
		case previous != "" && matches(previous, d.Event.Body):
			return pages.SignatureStandardPrevious
		case same(typed, keyedByText(secret, d.Event.ID, seconds, d.Event.Body)):
			return pages.SignatureStandardKey
		}
		for _, other := range rewritten(d.Event.Body) {
			if matches(secret, other) {
				return pages.SignatureRewritten
			}
		}
	}
	return pages.SignatureStandardOther
}

// keyedByText is the signature of a receiver that took the text of the secret for the key.
func keyedByText(secret, id string, seconds int64, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(id + "." + strconv.FormatInt(seconds, 10) + "."))
	mac.Write(body)
	return standardPrefix + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// isStandard reports whether a typed signature is of Standard Webhooks.
func isStandard(typed string) bool { return strings.HasPrefix(typed, standardPrefix) }
