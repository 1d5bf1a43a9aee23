package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/localpg"
)

// The test binary is also the program under test and the command that it runs.
const role = "TESTSERVER_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "program":
		os.Exit(run(os.Args[1:]))
	case "connect":
		os.Exit(connect())
	case "wait":
		os.Exit(waitForSignal())
	}
	os.Exit(m.Run())
}

// connect proves that the server answers, by an exit code of its own.
func connect() int {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		return 3
	}
	conn.Close(ctx)
	return 42
}

// waitForSignal prints the server's address, and ends with its own exit code on a signal.
func waitForSignal() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	fmt.Println(os.Getenv("TEST_DATABASE_URL"))
	<-signals
	return 9
}

// program prepares the program with a command for the shell.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), role+"=program")
	cmd.Stderr = os.Stderr
	return cmd
}

func exitCodeOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		want int
	}{
		"the command's":   {[]string{"--", "sh", "-c", role + `=connect "$0"`, os.Args[0]}, 42},
		"success":         {[]string{"sh", "-c", "exit 0"}, 0},
		"ended by signal": {[]string{"--", "sh", "-c", "kill -KILL $$"}, 128 + 9},
		"no such command": {[]string{"--", "/nonexistent"}, exitUnstarted},
		"no command":      {[]string{"--"}, exitUnstarted},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := exitCodeOf(t, program(t, test.args...).Run()); got != test.want {
				t.Errorf("exit code %d, want %d", got, test.want)
			}
		})
	}
}

// The command ends in its own way, then everything is removed.
func TestSignal(t *testing.T) {
	t.Parallel()
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			cmd := program(t, "--", "sh", "-c", "exec env "+role+`=wait "$0"`, os.Args[0])
			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(output).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			if got := exitCodeOf(t, cmd.Wait()); got != 9 {
				t.Errorf("exit code %d, want the command's 9", got)
			}
			u, err := url.Parse(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if data := u.Query().Get("host"); data == "" {
				t.Errorf("TEST_DATABASE_URL is %q", line)
			} else if _, err := os.Stat(data); err == nil {
				t.Errorf("%s is left", data)
			}
		})
	}
}

// TestSignalWhileStarting sends a signal before the server has started.
func TestSignalWhileStarting(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	server, err := start(signals, localpg.Options{Volatile: true})
	if err == nil {
		server.Stop()
		t.Fatal("start went on after a signal")
	}
	if !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "terminated") {
		t.Errorf("start = %v, want the signal named", err)
	}
}
