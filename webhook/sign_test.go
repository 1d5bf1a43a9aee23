package webhook_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"garoupa/webhook"
)

// The second test case of RFC 4231, section 4.3.
func TestSignVector(t *testing.T) {
	t.Parallel()
	const want = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := webhook.Sign("Jefe", []byte("what do ya want for nothing?")); got != want {
		t.Errorf("Sign = %s, want %s", got, want)
	}
}

func TestSignAgreesWithOpenSSL(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Fatalf("this test needs the openssl program (Debian package openssl): %v", err)
	}
	for _, body := range []string{"", `{"id":"evt_1"}`, "{\n  \"nome\": \"Açaí\"\r\n}\n", "\x00\xff\xfe"} {
		command := exec.CommandContext(t.Context(), openssl, "dgst", "-sha256", "-r", "-hmac", secret)
		command.Stdin = strings.NewReader(body)
		out, err := command.Output()
		if err != nil {
			t.Fatalf("openssl dgst: %v", err)
		}
		want, _, _ := strings.Cut(string(out), " ")
		if got := webhook.Sign(secret, []byte(body)); got != want {
			t.Errorf("Sign(%q) = %s, OpenSSL says %s", body, got, want)
		}
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"evt_1"}`)
	signature := webhook.Sign(secret, body)
	tests := []struct {
		name, secret, signature string
		body                    []byte
		want                    bool
	}{
		{"as signed", secret, signature, body, true},
		{"other body", secret, signature, append(bytes.Clone(body), '\n'), false},
		{"other secret", secret + "x", signature, body, false},
		{"upper case", secret, strings.ToUpper(signature), body, false},
		{"cut short", secret, signature[:63], body, false},
		{"empty", secret, "", body, false},
	}
	for _, test := range tests {
		if got := webhook.Verify(test.secret, test.signature, test.body); got != test.want {
			t.Errorf("%s: Verify = %t, want %t", test.name, got, test.want)
		}
	}
}
