package totp_test

import (
	"net/url"
	"testing"
	"time"

	"garoupa/internal/auth/totp"
)

// secret is the key of the RFC's vectors, "12345678901234567890".
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// The vectors of RFC 6238, appendix B, for SHA-1: their last six of eight digits.
func TestCode(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if got := totp.Code(secret, totp.Step(time.Unix(seconds, 0))); got != want {
			t.Errorf("at %d: %s, want %s", seconds, got, want)
		}
	}
}

// A code is valid half a minute before and after its own period, and Match returns its
// step.
func TestMatch(t *testing.T) {
	t.Parallel()
	at := time.Unix(1111111111, 0)
	code, step := "050471", totp.Step(at)
	for off, want := range map[time.Duration]bool{
		-60 * time.Second: false, -30 * time.Second: true, 0: true, 30 * time.Second: true, 60 * time.Second: false,
		24 * time.Hour: false,
	} {
		if got, ok := totp.Match(secret, code, at.Add(off)); ok != want || ok && got != step {
			t.Errorf("%s off: step %d, %v", off, got, ok)
		}
	}
	for _, wrong := range []string{"", "05047", "0504711", "050472", " 50471", "٠٥٠٤٧١"} {
		if _, ok := totp.Match(secret, wrong, at); ok {
			t.Errorf("%q is accepted", wrong)
		}
	}
	if _, ok := totp.Match("not base32", "", at); ok {
		t.Error("an invalid secret has a code")
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	a, b := totp.NewSecret(), totp.NewSecret()
	if len(a) != 32 || a == b || totp.Code(a, 1) == "" {
		t.Errorf("made %s and %s", a, b)
	}
	u, err := url.Parse(totp.URL("Garoupa", "ana+x@example.com", a))
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Garoupa:ana+x@example.com" ||
		u.Query().Get("secret") != a || u.Query().Get("issuer") != "Garoupa" {
		t.Errorf("the app reads %v, %v", u, err)
	}
}
