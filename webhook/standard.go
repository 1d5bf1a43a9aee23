package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// SignStandard returns the signature of Standard Webhooks, "v1," and base64: the HMAC-SHA256
// of id, the Unix second of at and body, joined by dots. The key is what the standard's
// libraries read from the same secret: whsec_ is removed, and the rest is base64. ok is false
// if a library would not accept the secret (docs/decisions/0058-standard-webhooks.md).
func SignStandard(secret, id string, at time.Time, body []byte) (signature string, ok bool) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return "", false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + unixSeconds(at) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), true
}

// addStandard adds the headers of Standard Webhooks. During a rotation both secrets sign, the
// new one first. Without a secret that signs, no header is added: a receiver must not take an
// unsigned event for one of the standard.
func (a Attempt) addStandard(headers http.Header) {
	var signatures []string
	for _, secret := range []string{a.Secret, a.PreviousSecret} {
		if signature, ok := SignStandard(secret, a.EventID, a.At, a.Body); ok {
			signatures = append(signatures, signature)
		}
	}
	if len(signatures) == 0 {
		return
	}
	headers.Set("webhook-id", a.EventID)
	headers.Set("webhook-timestamp", unixSeconds(a.At))
	headers.Set("webhook-signature", strings.Join(signatures, " "))
}

func unixSeconds(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
