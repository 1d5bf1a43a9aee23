package docs_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/internal/server/servertest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/views/docs"
	"garoupa/web/webtest"
	"garoupa/webhook"
)

// sampleTime bounds how long a sample may take to be built and run.
const sampleTime = 5 * time.Minute

// runtimes are the programs that run samples. PHP is tested where it is installed.
var runtimes = map[string]string{"curl": "sh", "go": "go", "node": "node", "python": "python3", "php": "php"}

// runnable are the languages whose samples can be run here.
func runnable(languages []docs.Language) []docs.Language {
	return slices.DeleteFunc(slices.Clone(languages), func(l docs.Language) bool {
		_, err := exec.LookPath(runtimes[l.ID])
		return err != nil && l.ID == "php"
	})
}

// sampleOf copies a sample from a page, as a reader would, and points it at the
// address where the test's server listens.
func sampleOf(t *testing.T, s *webtest.Site, page, id, language string) string {
	t.Helper()
	pre := s.Client(t).Get(page + "?code=" + language).Find("#" + id + " pre")
	if pre.Length() != 1 {
		t.Fatalf("%s has %d samples %s in %s", page, pre.Length(), id, language)
	}
	return strings.ReplaceAll(pre.Text(), "http://localhost", s.URL)
}

// program writes a sample to a file and returns how to run it.
func program(t *testing.T, ctx context.Context, language, file, code string, environment ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{path}
	if language == "go" {
		arguments = []string{"run", path}
	}
	command := exec.CommandContext(ctx, runtimes[language], arguments...)
	command.Dir = filepath.Dir(path)
	command.Env = append(os.Environ(), environment...)
	command.WaitDelay = webtest.Patience
	return command
}

// files are what the samples of the reference are called; they are no whole programs
// in every language.
var files = map[string]string{"curl": "sample.sh", "go": "main.go", "node": "sample.mjs", "python": "sample.py",
	"php": "sample.php"}

// The quickstart, copied, makes a paid checkout in every language.
func TestDocs_Quickstart(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			code := sampleOf(t, s, "/docs", "quickstart", language.ID)
			ctx, stop := context.WithTimeout(t.Context(), sampleTime)
			defer stop()
			out, err := program(t, ctx, language.ID, files[language.ID], code,
				"GAROUPA_KEY="+s.Key(t, s.Test, models.PermissionCheckoutCreate)).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "/pay/chk_") || !strings.Contains(string(out), "PAID") {
				t.Fatalf("%v: %s", err, out)
			}
			if n := modelstest.One[int](t, s.DB,
				"SELECT count(*) FROM checkouts WHERE status = 'PAID' AND amount = 4990"); n != 1 {
				t.Errorf("%d checkouts were paid", n)
			}
		})
	}
}

// A sample of the reference, copied, gets the answer that is shown beside it.
func TestDocs_ReferenceSamples(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			key := s.Key(t, s.Test, models.Permissions...)
			for _, sample := range []struct{ page, id, want string }{
				{"/docs/api/checkouts", "createCheckout-sample", "pedido-10482"},
				{"/docs/api/checkouts", "listCheckouts-sample", "nextCursor"},
				{"/docs/api/availability", "readHealth-sample", "1.0.0"},
			} {
				code := sampleOf(t, s, sample.page, sample.id, language.ID)
				ctx, stop := context.WithTimeout(t.Context(), sampleTime)
				out, err := program(t, ctx, language.ID, files[language.ID], code, "GAROUPA_KEY="+key).CombinedOutput()
				stop()
				if err != nil || !strings.Contains(string(out), sample.want) ||
					strings.Contains(string(out), `"error"`) {
					t.Errorf("%s: %v: %s", sample.id, err, out)
				}
			}
		})
	}
}

// A copied receiver handles a real event once, and no forged one; nothing that
// a stranger sends ends it.
func TestDocs_Receiver(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages[1:]) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			code := sampleOf(t, s, "/docs/webhooks", "receiver", language.ID)
			_, secret := s.Endpoint(t, "https://shop.example/hook")
			first, second := s.Checkout(t, payments.NewCheckout{}), s.Checkout(t, payments.NewCheckout{})
			if err := errors.Join(s.SimulatePayment(t.Context(), first.ID),
				s.SimulateExpiry(t.Context(), second.ID)); err != nil {
				t.Fatal(err)
			}
			created, paid := eventBody(t, s, first.ID, models.EventCheckoutCreated),
				eventBody(t, s, first.ID, models.EventCheckoutPaid)
			expired := eventBody(t, s, second.ID, models.EventCheckoutExpired)
			late := strings.NewReplacer(first.ID, second.ID, first.ExternalID, second.ExternalID, `"id":"evt_`,
				`"id":"evt_0`).Replace(paid)
			withdrawal := `{"id":"evt_w","type":"withdrawal.completed","data":{"withdrawal":{"id":"wdr_0"}}}`
			sign := func(body string) string { return webhook.Sign(secret, []byte(body)) }
			address, said := receiver(t, language.ID, code, secret)
			for i, tc := range []struct {
				what, body, signature, previous string
				want                            int
			}{
				{"another secret", paid, webhook.Sign(secret+"x", []byte(paid)), "", http.StatusUnauthorized},
				{"an empty secret", paid, webhook.Sign("", []byte(paid)), "", http.StatusUnauthorized},
				{"an empty secret as the previous one", paid, "", webhook.Sign("", []byte(paid)),
					http.StatusUnauthorized},
				{"another body", strings.Replace(paid, "PAID", "PENDING", 1), sign(paid), "", http.StatusUnauthorized},
				{"no signature", paid, "", "", http.StatusUnauthorized},
				{"nonsense", paid, "çã", "çã", http.StatusUnauthorized},
				{"a payment", paid, sign(paid), "", http.StatusNoContent},
				{"the same again", paid, sign(paid), "", http.StatusNoContent},
				{"its creation, late, from a rotation", created, webhook.Sign("whsec_new", []byte(created)),
					sign(created), http.StatusNoContent},
				{"an expiry", expired, sign(expired), "", http.StatusNoContent},
				{"a payment after it", late, sign(late), "", http.StatusNoContent},
				{"a withdrawal", withdrawal, sign(withdrawal), "", http.StatusNoContent},
			} {
				if got := deliver(t, address, tc.body, tc.signature, tc.previous); got != tc.want {
					t.Errorf("%s: answered %d, want %d", tc.what, got, tc.want)
				}
				if i == 0 {
					breakOff(t, language.ID, address, sign(""))
				}
			}
			text := said()
			for _, want := range []string{
				"checkout.paid " + first.ID + " " + first.ExternalID + " PAID\n",
				"checkout.created " + first.ID + " " + first.ExternalID + " PAID\n",
				"checkout.expired " + second.ID + " " + second.ExternalID + " EXPIRED\n",
				"checkout.paid " + second.ID + " " + second.ExternalID + " PAID\n",
			} {
				if strings.Count(text, want) != 1 {
					t.Errorf("said %q, want %q once", text, want)
				}
			}
		})
	}
}

// eventBody is what a delivery of a checkout's event says.
func eventBody(t *testing.T, s *webtest.Site, checkoutID, eventType string) string {
	t.Helper()
	return string(modelstest.One[[]byte](t, s.DB, "SELECT body FROM events WHERE checkout_id = $1 AND type = $2",
		checkoutID, eventType))
}

// breakOff sends a receiver what scanners and broken networks send: bodies that end
// early, are endless or have no length, and half a request. PHP's server for development,
// unlike those that run PHP for others, keeps a broken request open, so that its client
// leaves without an answer, and ends when a request announces more than its memory holds.
func breakOff(t *testing.T, language, address, signature string) {
	t.Helper()
	host := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/webhooks")
	head := "POST /webhooks HTTP/1.1\r\nHost: " + host + "\r\nx-svc-signature: " + signature + "\r\n"
	for _, request := range []string{
		head + "Content-Length: 1000\r\n\r\nabc", head + "Content-Length: 0\r\n\r\n",
		head + "Content-Length: -1\r\n\r\n", head + "Content-Length: x\r\n\r\n",
		head + "\r\n", head + "Transfer-Encoding: chunked\r\n\r\nffff\r\nabc",
		head + "Transfer-Encoding: chunked\r\n\r\nno chunk", "POST /webhooks HT", "\xff\x00\r\n\r\n",
		head + "Content-Length: 99999999999\r\n\r\n" + strings.Repeat("a", 2<<20),
		head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat("a", 1<<16)+"\r\n", 40),
	} {
		if language == "php" && strings.Contains(request, "99999999999") {
			continue
		}
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatalf("%.60q: the receiver is gone: %v", request, err)
		}
		_, _ = io.WriteString(conn, request) // it may close before it has read all
		if language == "php" {
			conn.Close()
			continue
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		_ = conn.SetDeadline(time.Now().Add(webtest.Patience))
		answer, _ := io.ReadAll(conn) // until the receiver is done with it
		conn.Close()
		if bytes.Contains(answer, []byte(" 204 ")) {
			t.Errorf("%.100q was accepted", request)
		}
	}
}

// Without its secret no receiver starts, or accepts anything.
func TestDocs_ReceiverWithoutSecret(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages[1:]) {
		if language.ID == "php" {
			continue // php -S starts by itself
		}
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), sampleTime)
			defer stop()
			code := sampleOf(t, webtest.New(t), "/docs/webhooks", "receiver", language.ID)
			for _, secret := range []string{"WEBHOOK_SECRET=", "NOTHING="} {
				out, err := program(t, ctx, language.ID, files[language.ID], code, "PORT=0", secret).CombinedOutput()
				if _, exited := errors.AsType[*exec.ExitError](err); !exited || ctx.Err() != nil ||
					!strings.Contains(string(out), "Set WEBHOOK_SECRET to the signing secret") {
					t.Errorf("with %s: %v: %s", secret, err, out)
				}
			}
		})
	}
}

// receiver starts a receiver, and returns its address and what it has said once it is
// stopped.
func receiver(t *testing.T, language, code, secret string) (address string, said func() string) {
	t.Helper()
	_, port, err := net.SplitHostPort(servertest.Address(t))
	if err != nil {
		t.Fatal(err)
	}

	ctx, stop := context.WithTimeout(context.Background(), sampleTime)
	t.Cleanup(stop)
	command := program(t, ctx, language, files[language], code, "PORT="+port, "WEBHOOK_SECRET="+secret)
	if language == "go" { // the program itself, so that stopping it leaves no child
		built := filepath.Join(command.Dir, "receiver")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", built,
			command.Args[2]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		command.Path, command.Args = built, []string{built}
	}
	if language == "php" {
		command.Args = []string{command.Args[0], "-S", "127.0.0.1:" + port, command.Args[1]}
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1)
	go func() {
		var all strings.Builder
		for scan := bufio.NewScanner(out); scan.Scan(); {
			all.WriteString(scan.Text() + "\n")
		}
		lines <- all.String()
	}()
	said = func() string {
		stop()
		text := <-lines
		_ = command.Wait() // it was killed
		return text
	}
	return "http://127.0.0.1:" + port + "/webhooks", said
}

// deliver posts an event, waiting for a receiver that is still starting.
func deliver(t *testing.T, address, body, signature, previous string) int {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	deadline := time.Now().Add(sampleTime)
	var last error
	for time.Now().Before(deadline) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		for name, value := range map[string]string{"x-svc-signature": signature, "x-svc-signature-previous": previous} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			return response.StatusCode
		}
		last = err
		<-again.C
	}
	t.Fatalf("no answer: %v", cmp.Or(last, context.DeadlineExceeded))
	return 0
}
