package webhook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"garoupa/webhook"
)

// oldSecret is the one before a rotation.
const oldSecret = "whsec_zyxwvutsrqponmlkjihgfedcbaZYXWVU"

// delivered is what a receiver has of an attempt, and the secret that it knows.
type delivered struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// deliver posts a and returns what arrived.
func deliver(t *testing.T, a webhook.Attempt) delivered {
	t.Helper()
	received := make(chan delivered, 1)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		headers := map[string]string{}
		for name := range r.Header {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		received <- delivered{a.Secret, headers, string(body)}
	})
	a.URL = server.URL
	if outcome := newClient().Post(t.Context(), a); !outcome.OK {
		t.Fatalf("outcome %+v", outcome)
	}
	return <-received
}

// with returns d with one header replaced.
func (d delivered) with(name, value string) delivered {
	headers := map[string]string{name: value}
	for each, was := range d.Headers {
		if each != name {
			headers[each] = was
		}
	}
	d.Headers = headers
	return d
}

// knowing returns d at a receiver that knows another secret.
func (d delivered) knowing(secret string) delivered {
	d.Secret = secret
	return d
}

// The libraries of the standard accept an attempt with the endpoint's secret as the dashboard
// shows it, during a rotation with either secret, and refuse what was changed or captured.
func TestStandardLibrariesVerify(t *testing.T) {
	t.Parallel()
	now := attempt("")
	now.At = time.Now()
	now.Body = []byte("{\"id\":\"evt_0123456789abcdef01234567\",\"nome\" : \"A\u00e7a\u00ed\"}\n")
	rotating, old, early := now, now, now
	rotating.PreviousSecret = oldSecret
	old.At, early.At = now.At.Add(-6*time.Minute), now.At.Add(10*time.Minute)
	single, both := deliver(t, now), deliver(t, rotating)
	changed := single
	changed.Body += " "

	tests := []struct {
		name    string
		arrived delivered
		want    error  // of Go's library
		says    string // npm's
	}{
		{"as sent", single, nil, ""},
		{"in a rotation, the new secret", both, nil, ""},
		{"in a rotation, the old secret", both.knowing(oldSecret), nil, ""},
		{"the old secret without a rotation", single.knowing(oldSecret),
			standardwebhooks.ErrNoMatchingSignature, "No matching signature found"},
		{"another body", changed, standardwebhooks.ErrNoMatchingSignature, "No matching signature found"},
		{"another id", single.with("webhook-id", "evt_000000000000000000000000"),
			standardwebhooks.ErrNoMatchingSignature, "No matching signature found"},
		{"captured, with a new time", deliver(t, old).with("webhook-timestamp", single.Headers["webhook-timestamp"]),
			standardwebhooks.ErrNoMatchingSignature, "No matching signature found"},
		{"captured", deliver(t, old), standardwebhooks.ErrMessageTooOld, "Message timestamp too old"},
		{"of the future", deliver(t, early), standardwebhooks.ErrMessageTooNew, "Message timestamp too new"},
	}
	var arrived []delivered
	var want []string
	for _, test := range tests {
		arrived, want = append(arrived, test.arrived), append(want, test.says)
		if err := verifyByGo(t, test.arrived); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: Go's library says %v, want %v", test.name, err, test.want)
		}
	}
	if diff := gocmp.Diff(want, verifyByNode(t, arrived)); diff != "" {
		t.Errorf("npm's library, in the order of the tests (-want +got):\n%s", diff)
	}
}

func verifyByGo(t *testing.T, d delivered) error {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(d.Secret)
	if err != nil {
		t.Fatal(err)
	}
	headers := make(http.Header)
	for name, value := range d.Headers {
		headers.Set(name, value)
	}
	return library.Verify([]byte(d.Body), headers)
}

func verifyByNode(t *testing.T, arrived []delivered) (says []string) {
	t.Helper()
	input, err := json.Marshal(arrived)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/standard.mjs")
	node.Stdin = bytes.NewReader(input)
	var failure strings.Builder
	node.Stderr = &failure
	output, err := node.Output()
	if err != nil {
		t.Fatalf("node with standardwebhooks is needed (npm ci): %v\n%s", err, failure.String())
	}
	if err := json.Unmarshal(output, &says); err != nil {
		t.Fatal(err)
	}
	return says
}

// A secret that is not base64, as a developer may give to "garoupa listen", signs only by the
// contract's headers. In a rotation the other secret still signs.
func TestStandardHeadersNeedASecretInBase64(t *testing.T) {
	t.Parallel()
	for _, unreadable := range []string{"my secret", "whsec_", "whsec_abc", "whsec_a-b_"} {
		a := attempt("")
		a.Secret = unreadable
		headers := deliver(t, a).Headers
		if headers["x-svc-signature"] != webhook.Sign(unreadable, a.Body) {
			t.Errorf("%q: x-svc-signature is %q", unreadable, headers["x-svc-signature"])
		}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			if value, sent := headers[name]; sent {
				t.Errorf("%q: %s is %q", unreadable, name, value)
			}
		}
		a.PreviousSecret = secret
		want, _ := webhook.SignStandard(secret, a.EventID, a.At, a.Body)
		if got := deliver(t, a).Headers["webhook-signature"]; got != want {
			t.Errorf("%q in a rotation: webhook-signature is %q, want %q", unreadable, got, want)
		}
	}
}
