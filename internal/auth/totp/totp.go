// Package totp implements the codes of authenticator apps: RFC 6238 in the form that all
// apps support, with HMAC-SHA1, six digits and 30 seconds.
package totp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

const (
	period = 30 // seconds
	digits = 6
	// skew is how many periods a clock may be wrong, in both directions.
	skew = 1
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret returns 160 random bits, as the RFC asks, in base32: 32 characters.
func NewSecret() string {
	key := make([]byte, 20)
	rand.Read(key) // never fails since Go 1.24
	return encoding.EncodeToString(key)
}

// Step returns the number of the 30-second period that contains t.
func Step(t time.Time) int64 { return t.Unix() / period }

// Code returns the six digits of a step, or "" if the secret is not base32.
func Code(secret string, step int64) string {
	key, err := encoding.DecodeString(secret)
	if err != nil {
		return ""
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f // RFC 4226, 5.3
	number := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, number%1_000_000)
}

// Match returns the step of the code: the current one, or one of a clock that is 30 seconds
// wrong. So that no code is accepted twice, the caller must refuse a step that is not after
// the last accepted one.
func Match(secret, code string, now time.Time) (step int64, ok bool) {
	for step := Step(now) - skew; step <= Step(now)+skew; step++ {
		if want := Code(secret, step); want != "" && hmac.Equal([]byte(code), []byte(want)) {
			return step, true
		}
	}
	return 0, false
}

// URL returns the address that an authenticator app reads from the QR code.
func URL(issuer, account, secret string) string {
	label := url.PathEscape(issuer + ":" + account)
	query := url.Values{"secret": {secret}, "issuer": {issuer}}
	return "otpauth://totp/" + label + "?" + query.Encode()
}
