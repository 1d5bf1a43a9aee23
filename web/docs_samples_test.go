package web_test

import (
	"bufio"
	"cmp"
	"context"
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

	"garoupa/models"
	"garoupa/payments"
	"garoupa/server/servertest"
	"garoupa/views/docs"
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
func (s *site) sampleOf(t *testing.T, page, id, language string) string {
	t.Helper()
	pre := s.client(t).get(page + "?code=" + language).Find("#" + id + " pre")
	if pre.Length() != 1 {
		t.Fatalf("%s has %d samples %s in %s", page, pre.Length(), id, language)
	}
	return strings.ReplaceAll(pre.Text(), "http://localhost", s.url)
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
	command.WaitDelay = patience
	return command
}

// files are what the samples of the reference are called; they are no whole programs
// in every language.
var files = map[string]string{"curl": "sample.sh", "go": "main.go", "node": "sample.mjs", "python": "sample.py", "php": "sample.php"}

// Whoever copies the quickstart has a paid checkout, in every language.
func TestDocs_Quickstart(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			code := s.sampleOf(t, "/docs", "quickstart", language.ID)
			ctx, stop := context.WithTimeout(t.Context(), sampleTime)
			defer stop()
			out, err := program(t, ctx, language.ID, files[language.ID], code, "GAROUPA_KEY="+s.Key(t, s.Test, models.PermissionCheckoutCreate)).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "/pay/chk_") || !strings.Contains(string(out), "PAID") {
				t.Fatalf("%v: %s", err, out)
			}
			var paid int
			if err := s.DB.Raw("SELECT count(*) FROM checkouts WHERE status = 'PAID' AND amount = 4990").Row().Scan(&paid); err != nil || paid != 1 {
				t.Errorf("%d checkouts were paid, %v", paid, err)
			}
		})
	}
}

// Whoever copies a sample of the reference gets the answer that stands beside it.
func TestDocs_ReferenceSamples(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			key := s.Key(t, s.Test, models.Permissions...)
			for _, sample := range []struct{ page, id, want string }{
				{"/docs/api/checkouts", "createCheckout-sample", "pedido-10482"},
				{"/docs/api/checkouts", "listCheckouts-sample", "nextCursor"},
				{"/docs/api/availability", "readHealth-sample", "1.0.0"},
			} {
				code := s.sampleOf(t, sample.page, sample.id, language.ID)
				ctx, stop := context.WithTimeout(t.Context(), sampleTime)
				out, err := program(t, ctx, language.ID, files[language.ID], code, "GAROUPA_KEY="+key).CombinedOutput()
				stop()
				if err != nil || !strings.Contains(string(out), sample.want) || strings.Contains(string(out), `"error"`) {
					t.Errorf("%s: %v: %s", sample.id, err, out)
				}
			}
		})
	}
}

// Whoever copies a receiver handles a real event once, and no forged one.
func TestDocs_Receiver(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages[1:]) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			code := s.sampleOf(t, "/docs/webhooks", "receiver", language.ID)
			_, secret := s.Endpoint(t, "https://shop.example/hook")
			c := s.Checkout(t, payments.NewCheckout{})
			var body string
			if err := s.DB.Raw("SELECT body FROM events WHERE checkout_id = ?", c.ID).Row().Scan(&body); err != nil {
				t.Fatal(err)
			}
			address, said := receiver(t, language.ID, code, secret)
			signed := webhook.Sign(secret, []byte(body))
			for _, tc := range []struct {
				what, body, signature string
				want                  int
			}{
				{"another secret", body, webhook.Sign(secret+"x", []byte(body)), http.StatusUnauthorized},
				{"another body", strings.Replace(body, "PENDING", "PAID", 1), signed, http.StatusUnauthorized},
				{"no signature", body, "", http.StatusUnauthorized},
				{"nonsense", body, "çã", http.StatusUnauthorized},
				{"a real event", body, signed, http.StatusNoContent},
				{"the same again", body, signed, http.StatusNoContent},
			} {
				if got := deliver(t, address, tc.body, tc.signature); got != tc.want {
					t.Errorf("%s: answered %d, want %d", tc.what, got, tc.want)
				}
			}
			if got, want := said(), "checkout.created "+c.ID+" "+c.ExternalID; strings.Count(got, want) != 1 {
				t.Errorf("said %q, want %q once", got, want)
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
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", built, command.Args[2]).CombinedOutput(); err != nil {
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
func deliver(t *testing.T, address, body, signature string) int {
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
		if signature != "" {
			request.Header.Set("x-svc-signature", signature)
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
