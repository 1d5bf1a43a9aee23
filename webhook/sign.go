package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Sign returns the x-svc-signature of body: lower-case hex of the HMAC-SHA256 of
// its raw bytes, keyed with the endpoint's signing secret as text (contract,
// section 6, rule 1).
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Verify reports whether signature belongs to body. It checks as a receiver must: over the
// bytes as they arrived, and in constant time. Upper-case hex is not accepted.
func Verify(secret, signature string, body []byte) bool {
	return hmac.Equal([]byte(Sign(secret, body)), []byte(signature))
}
