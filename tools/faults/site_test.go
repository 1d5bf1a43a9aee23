//go:build faults || cluster

package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"garoupa/internal/faulttest"
	"garoupa/internal/localpg"
	"garoupa/internal/server/servertest"
)

const (
	program  = "../../bin/garoupa" // built by the Makefile
	patience = 2 * time.Minute
)

// site is a database and the processes that serve it, each connected through its own proxy.
type site struct {
	t         *testing.T
	database  string // its direct address
	pool      *pgxpool.Pool
	env       []string
	key       string
	webhooks  *receiver
	processes []*process
}

// process is one `garoupa serve`.
type process struct {
	site    *site
	url     string
	env     []string
	network *faulttest.Proxy // between the process and the database
	command *exec.Cmd
	log     *bytes.Buffer // complete when ended is closed
	ended   chan struct{}
}

// newSite starts a database and n processes, and waits until they are ready.
func newSite(t *testing.T, n int) *site {
	t.Helper()
	server, err := localpg.Start(t.Context(), localpg.Options{Dir: t.TempDir(), Bin: os.Getenv("GAROUPA_POSTGRES_BIN")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Logf("stop PostgreSQL: %v", err)
		}
	})
	return newSiteOn(t, n, server.URL())
}

// newSiteOn is newSite over a PostgreSQL that the caller started.
func newSiteOn(t *testing.T, n int, database string) *site {
	t.Helper()
	s := &site{t: t, database: database, webhooks: newReceiver(t)}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, set := os.LookupEnv(name); set {
			s.env = append(s.env, name+"="+value)
		}
	}
	s.env = append(s.env, "GAROUPA_SECRET_KEY="+strings.Repeat("5a", 32), "GAROUPA_RATE_LIMIT=off",
		"GAROUPA_LOG_LEVEL=info",
		"GAROUPA_WEBHOOK_ALLOW_PRIVATE=true", "GAROUPA_WEBHOOK_BACKOFF=1s,2s,4s,8s", "GAROUPA_DATA_DIR="+t.TempDir())
	s.makeMerchant()
	s.turnTo(database)
	for range n {
		network := faulttest.NewProxy(t, database)
		s.processes = append(s.processes, s.newProcess(network, network.URL()))
	}
	for _, p := range s.processes {
		p.start()
	}
	return s
}

// makeMerchant makes the merchant whose clients charge.
func (s *site) makeMerchant() {
	s.t.Helper()
	demo := exec.CommandContext(s.t.Context(), program, "demo", "--json", "--webhook-url", s.webhooks.URL)
	demo.Env = append([]string{"DATABASE_URL=" + s.database}, s.env...)
	var wrong bytes.Buffer
	demo.Stderr = &wrong
	out, err := demo.Output()
	var made struct{ Keys struct{ Test string } }
	if err == nil {
		err = json.Unmarshal(out, &made)
	}
	if err != nil {
		s.t.Fatalf("garoupa demo: %v: %s", err, wrong.String())
	}
	s.key = made.Keys.Test
}

// turnTo makes the database at this address the one that is checked.
func (s *site) turnTo(database string) {
	s.t.Helper()
	pool, err := pgxpool.New(context.Background(), database)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(pool.Close)
	s.database, s.pool = database, pool
}

// newProcess returns a process that has not been started yet.
func (s *site) newProcess(network *faulttest.Proxy, database string) *process {
	address := servertest.Address(s.t)
	env := append([]string{"DATABASE_URL=" + database, "GAROUPA_LISTEN=" + address}, s.env...)
	return &process{site: s, url: "http://" + address, env: env, network: network}
}

// start starts the process and returns when it is ready.
func (p *process) start() {
	t := p.site.t
	t.Helper()
	p.command, p.log, p.ended = exec.Command(program, "serve"), &bytes.Buffer{}, make(chan struct{})
	p.command.Env, p.command.Stderr = p.env, p.log
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	ended, command := p.ended, p.command
	go func() { _ = command.Wait(); close(ended) }()
	t.Cleanup(func() { _ = command.Process.Kill(); <-ended })
	p.awaitReady()
}

func (p *process) awaitReady() {
	t := p.site.t
	t.Helper()
	until(t, func() bool {
		select {
		case <-p.ended:
			t.Fatalf("the program ended: %s", p.log)
		default:
		}
		return p.ready()
	})
}

// ready asks /readyz.
func (p *process) ready() bool {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(p.url + "/readyz")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// watch opens the stream of the checkout's page as a browser does, which reconnects when it
// ends, and closes told when the stream says that the checkout is paid.
func (p *process) watch(id string) (told <-chan struct{}) {
	heard := make(chan struct{})
	go func() {
		for p.site.t.Context().Err() == nil {
			if p.readStream(id) {
				close(heard)
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return heard
}

// readStream reads the stream of a checkout's page until it ends or reports PAID.
func (p *process) readStream(id string) (paid bool) {
	request, err := http.NewRequestWithContext(p.site.t.Context(), http.MethodGet, p.url+"/pay/"+id+"/events", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if lines.Text() == "data: PAID" {
			return true
		}
	}
	return false
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// stop ends the process cleanly.
func (p *process) stop() {
	t := p.site.t
	t.Helper()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the process does not stop")
	}
}

// check runs `garoupa check` and returns its output.
func (s *site) check() string {
	command := exec.Command(program, "check")
	command.Env = append([]string{"DATABASE_URL=" + s.database}, s.env...)
	out, _ := command.CombinedOutput()
	return string(out)
}

// postmaster returns the main process of the PostgreSQL in dir.
func postmaster(t *testing.T, dir string) *os.Process {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if err := json.Unmarshal(bytes.SplitN(content, []byte("\n"), 2)[0], &pid); err != nil {
		t.Fatal(err)
	}
	found, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// until waits until done returns true.
func until(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatal("it does not come true")
		}
		time.Sleep(50 * time.Millisecond)
	}
}
