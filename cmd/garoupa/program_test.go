package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"garoupa/internal/server/servertest"
	"garoupa/models/modelstest"
)

// asProgram makes the test binary act as the program: a test that needs a process runs the
// binary again.
const asProgram = "GAROUPA_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args[1:]))
	}
	if os.Getenv(asCurl) != "" {
		os.Exit(curl(os.Args[1:]))
	}
	// Most of these tests wait for processes, so more of them run at a time than there are processors.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// noRest makes a process under the race detector end at once. By default the race detector
// delays the exit by a second.
const noRest = "GORACE=atexit_sleep_ms=0"

// patience is how long a test waits for a process before it fails. It is longer than a lease of work at a bank,
// which another process or a later try waits for.
const patience = 3 * time.Minute

// program is the program with an environment of its own.
type program struct {
	t    *testing.T
	env  []string
	url  string
	data string // its data folder
	file string // the binary, if it is not this one

	client http.Client // which sends requests to the program
}

// newProgram returns the program with a migrated database and a port of its own. settings
// ("NAME=value") override the defaults.
func newProgram(t *testing.T, settings ...string) *program {
	t.Helper()
	return newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t), settings...)
}

func newProgramOver(t *testing.T, database string, settings ...string) *program {
	t.Helper()
	address := servertest.Address(t)
	data := t.TempDir()
	env := []string{
		database, "GAROUPA_DATA_DIR=" + data, "XDG_CACHE_HOME=" + filepath.Join(data, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(data, "config"),
		"GAROUPA_LISTEN=" + address,
		"GAROUPA_RATE_LIMIT=off", "GAROUPA_DRAIN_TIME=0s", "GAROUPA_LOG_LEVEL=error",
		"GAROUPA_WEBHOOK_ALLOW_PRIVATE=true",
	}
	// Nothing else from the environment of the tests.
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GAROUPA_POSTGRES_BIN"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return &program{t: t, url: "http://" + address, env: append(env, settings...), data: data}
}

func (p *program) command(args ...string) *exec.Cmd {
	command := exec.Command(cmp.Or(p.file, os.Args[0]), args...)
	command.Dir = "../.." // the folder from which users run it
	command.Env = append([]string{asProgram + "=1", noRest}, p.env...)
	return command
}

// ran is the result of a command.
type ran struct {
	status     int
	out, wrong string
}

// try runs a command to its end.
func (p *program) try(args ...string) ran {
	p.t.Helper()
	return p.tryWith(nil, args...)
}

// tryWith is try with something on standard input.
func (p *program) tryWith(input io.Reader, args ...string) ran {
	p.t.Helper()
	var out, wrong bytes.Buffer
	command := p.command(args...)
	command.Stdin, command.Stdout, command.Stderr = input, &out, &wrong
	err := command.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		p.t.Fatal(err)
	}
	return ran{command.ProcessState.ExitCode(), out.String(), wrong.String()}
}

// run is try for a command that works.
func (p *program) run(args ...string) string {
	p.t.Helper()
	r := p.try(args...)
	if r.status != 0 {
		p.t.Fatalf("garoupa %s: %d %s", strings.Join(args, " "), r.status, r.wrong)
	}
	return r.out
}

// demo creates a merchant.
func (p *program) demo(flags ...string) (made demoMerchant) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.run(append([]string{"demo", "--json"}, flags...)...)), &made); err != nil {
		p.t.Fatal(err)
	}
	return made
}

// open returns services over the program's database, with its settings. They run no jobs.
func (p *program) open() (*database, *services) {
	p.t.Helper()
	environment := map[string]string{}
	for _, line := range p.env {
		name, value, _ := strings.Cut(line, "=")
		environment[name] = value
	}
	read, err := readSettings(environment)
	if err != nil {
		p.t.Fatal(err)
	}
	db, err := openDatabase(p.t.Context(), read, false)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { db.Close() })
	services, err := newServices(p.t.Context(), read, db, beside(p.t.Context(), db.DB))
	if err != nil {
		p.t.Fatal(err)
	}
	return db, services
}

// until waits until holds returns true. It asks less and less often, because some of what it waits for takes half a
// minute, and other tests need the processors.
func (p *program) until(what string, holds func() bool) {
	p.t.Helper()
	end := time.After(patience)
	for pause := 5 * time.Millisecond; !holds(); pause = min(pause*5/4, 250*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-end:
			p.t.Fatalf("never: %s", what)
		}
	}
}

// kill ends a serving program with SIGKILL.
func (p *program) kill(s *process) {
	p.t.Helper()
	if err := s.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	<-s.ended
}

// process is a serving program.
type process struct {
	*exec.Cmd
	out, log *bytes.Buffer // complete once it has ended
	ended    chan error    // its error, closed afterwards
}

// serve starts the program and returns when it is ready.
func (p *program) serve(flags ...string) *process {
	p.t.Helper()
	s := &process{Cmd: p.command(append([]string{"serve"}, flags...)...), out: &bytes.Buffer{}, log: &bytes.Buffer{},
		ended: make(chan error, 1)}
	s.Stdout, s.Stderr = s.out, s.log
	if err := s.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { s.ended <- s.Wait(); close(s.ended) }()
	p.t.Cleanup(func() { _ = s.Process.Kill(); <-s.ended })
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if response, err := http.Get(p.url + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return s
			}
		}
		select {
		case <-tick.C:
		case err := <-s.ended:
			p.t.Fatalf("the program ended: %v\n%s", err, s.log)
		case <-ctx.Done():
			p.t.Fatal("the program does not become ready")
		}
	}
}

// stop signals the process and fails the test unless it ends without an error.
func (p *program) stop(s *process, signal os.Signal) {
	p.t.Helper()
	if err := s.Process.Signal(signal); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-s.ended: // with an error when it exceeded its own time limit
		if err != nil {
			p.t.Errorf("%s: ended with %v\n%s", signal, err, s.log)
		}
	case <-time.After(patience):
		p.t.Fatalf("%s: the process did not end", signal)
	}
}

// create posts one checkout and returns the status and the id. The status is 0 if the
// answer was not complete.
func (p *program) create(key, idempotencyKey string) (status int, id string) {
	return p.createOf(4990, key, idempotencyKey)
}

// createOf posts one checkout of an amount in centavos.
func (p *program) createOf(amount int, key, idempotencyKey string) (status int, id string) {
	body := `{"amount": ` + strconv.Itoa(amount) + `, "description": "Vaso", "externalId": "` + idempotencyKey + `"}`
	return p.createFrom(body, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Idempotency-Key", idempotencyKey)
	})
}

// createFrom is create for a body, with headers that add adds.
func (p *program) createFrom(body string, add func(r *http.Request)) (status int, id string) {
	request, err := http.NewRequest(http.MethodPost, p.url+"/v1/checkouts", strings.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return 0, ""
	}
	request.Header.Set("Content-Type", "application/json")
	add(request)
	response, err := p.client.Do(request)
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
