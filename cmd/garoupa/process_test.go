package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"garoupa/models/modelstest"
)

// program is the built binary over a database of the test's own.
type program struct {
	t      *testing.T
	binary string
	env    []string
	url    string
}

func newProgram(t *testing.T) *program {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "garoupa")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close() // the program takes the port that was free a moment ago
	return &program{t: t, binary: binary, url: "http://" + address, env: append(os.Environ(),
		"DATABASE_URL="+modelstest.NewURL(t), "GAROUPA_DATA_DIR="+t.TempDir(), "GAROUPA_LISTEN="+address,
		"GAROUPA_RATE_LIMIT=off", "GAROUPA_LOG_LEVEL=warn", "GAROUPA_WEBHOOK_ALLOW_PRIVATE=true")}
}

// run runs a command of the program to its end.
func (p *program) run(args ...string) string {
	p.t.Helper()
	command := exec.Command(p.binary, args...)
	command.Env = p.env
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		p.t.Fatalf("garoupa %s: %v\n%s", strings.Join(args, " "), err, complaint.String())
	}
	return string(out)
}

// serve starts the program and returns when it is ready.
func (p *program) serve() *exec.Cmd {
	p.t.Helper()
	command := exec.Command(p.binary, "serve")
	command.Env = p.env
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { command.Process.Kill(); command.Wait() })
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if response, err := http.Get(p.url + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return command
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.t.Fatal("the program does not get ready")
		}
	}
}

// create posts one checkout and returns the status and the id. An answer that never
// came is status 0.
func (p *program) create(key, idempotencyKey string) (status int, id string) {
	body := strings.NewReader(`{"amount": 4990, "description": "Vaso", "externalId": "` + idempotencyKey + `"}`)
	request, err := http.NewRequest(http.MethodPost, p.url+"/v1/checkouts", body)
	if err != nil {
		p.t.Error(err)
		return 0, ""
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	var made struct{ ID string }
	if json.Unmarshal(text, &made) != nil {
		return 0, ""
	}
	return response.StatusCode, made.ID
}

// kill -9 at any moment of a creation leaves nothing, or a checkout that the same
// key returns; what a client was told exists.
func TestKill(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var made demoMerchant
	if err := json.Unmarshal([]byte(p.run("demo", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	n := 0
	for round := range 3 {
		server := p.serve()
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			time.AfterFunc(time.Duration(100+70*round)*time.Millisecond, func() { server.Process.Kill() })
			server.Wait()
		}()
		for alive := true; alive; {
			key := fmt.Sprintf("key-%d", n)
			n++
			status, id := p.create(made.Keys.Test, key)
			if told[key] = id; status == 0 {
				alive = false
			}
		}
		<-killed
	}
	p.serve()
	for key, id := range told {
		status, again := p.create(made.Keys.Test, key)
		if id != "" && (status != http.StatusOK || again != id) {
			t.Errorf("%s made %s; after the kill it is %d %s", key, id, status, again)
		}
		if twice, same := p.create(made.Keys.Test, key); twice != http.StatusOK || same != again {
			t.Errorf("%s: %d %s, then %d %s", key, status, again, twice, same)
		}
	}
	if out := p.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("check says %s", out)
	}
}

// An interrupt ends the program in order.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	server := p.serve()
	if err := server.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("stopped with %v", err)
	}
}

// The commands that other programs rely on.
func TestCommands(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var made demoMerchant
	if err := json.Unmarshal([]byte(p.run("demo", "--json", "--webhook-url", "http://127.0.0.1:9/hook")), &made); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(made.Keys.Test, "svc_test_") || !strings.HasPrefix(made.Keys.TestReadOnly, "svc_test_") ||
		!strings.HasPrefix(made.Keys.Live, "svc_live_") || !strings.HasPrefix(made.Keys.LivePending, "svc_live_") ||
		made.WebhookSecret == nil || !strings.HasPrefix(*made.WebhookSecret, "whsec_") || made.ProductID == "" ||
		made.Owner.Email == "" || len(made.Owner.Password) < 12 || len(made.Staff) != 2 || made.AccountID == "" || made.ProjectID == "" {
		t.Errorf("demo made %+v", made)
	}
	p.serve()
	for name, want := range map[string]struct {
		key    string
		status int
	}{
		"test": {made.Keys.Test, 201}, "read only": {made.Keys.TestReadOnly, 403},
		"live": {made.Keys.Live, 503}, "live, pending": {made.Keys.LivePending, 403},
	} {
		if status, _ := p.create(want.key, "commands-"+strings.ReplaceAll(name, " ", "")); status != want.status {
			t.Errorf("%s key: %d, want %d", name, status, want.status)
		}
	}
	for act, want := range map[string]string{"pay": "paid", "expire": "expired", "cancel": "cancelled"} {
		_, id := p.create(made.Keys.Test, "simulate-"+act)
		if out := p.run("simulate", act, id); out != id+" is "+want+".\n" {
			t.Errorf("simulate %s says %q", act, out)
		}
	}
	p.run("staff", "add", "-email", "ops@example.com", "-name", "Ops", "-role", "SUPERVISOR")
	p.run("serve", "-probe")
	p.run("migrate")
	p.run("version")
}

// Help is there whatever the environment holds.
func TestHelp(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "GAROUPA_LISTEN=nonsense")
	for _, c := range commands() {
		p.run(c.name, "--help")
	}
	p.run("--help")
}
