// Package totp is the codes of authenticator apps: RFC 6238 as they all speak it,
// HMAC-SHA1, six digits, 30 seconds.
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
	// skew is how many periods a clock may be off, either way.
	skew = 1
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret returns 160 random bits, as the RFC asks, in base32: 32 characters.
func NewSecret() string {
	key := make([]byte, 20)
	rand.Read(key) // never fails since Go 1.24
	return encoding.EncodeToString(key)
}

// Step numbers the 30 seconds that a moment is in.
func Step(t time.Time) int64 { return t.Unix() / period }

// Code returns the six digits of a step, "" for a secret that is not base32.
func Code(secret string, step int64) string {
	key, err := encoding.DecodeString(secret)
	if err != nil {
		return ""
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash takes all
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f // RFC 4226, 5.3
	number := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, number%1_000_000)
}

// Match returns the step that the code is of: the one of now or of a clock that is 30
// seconds off. So that no code counts twice, the caller must refuse a step that is
// not after the last one that it took.
func Match(secret, code string, now time.Time) (step int64, ok bool) {
	for step := Step(now) - skew; step <= Step(now)+skew; step++ {
		if want := Code(secret, step); want != "" && hmac.Equal([]byte(code), []byte(want)) {
			return step, true
		}
	}
	return 0, false
}

// URL is what an authenticator app reads from the QR code.
func URL(issuer, account, secret string) string {
	label := url.PathEscape(issuer + ":" + account)
	query := url.Values{"secret": {secret}, "issuer": {issuer}}
	return "otpauth://totp/" + label + "?" + query.Encode()
}
