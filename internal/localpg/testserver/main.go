// Command testserver runs a command, usually the tests, with a PostgreSQL of its own:
//
//	go run ./internal/localpg/testserver -- go test ./...
//
// The command finds the server's address in TEST_DATABASE_URL. The server keeps its data in
// memory if possible, and is removed at the end. With -keep it keeps them in the folder that
// -keep names, as in production, and finds there what an earlier run left.
// The exit code is the command's (128 and the signal's number if a signal ended it), or 125 if
// the server or the command could not be started. Signals are passed to the command and all
// processes that it started. GAROUPA_POSTGRES_BIN names the programs to use.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"garoupa/internal/localpg"
)

const exitUnstarted = 125

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	flags := flag.NewFlagSet("testserver", flag.ContinueOnError)
	keep := flags.String("keep", "", "the folder for data that stay")
	if err := flags.Parse(args); err != nil {
		return exitUnstarted
	}
	if args = flags.Args(); len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: testserver [-keep folder] -- command [argument ...]")
		return exitUnstarted
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	options := localpg.Options{Bin: os.Getenv("GAROUPA_POSTGRES_BIN"), Volatile: true}
	if *keep != "" {
		options.Volatile, options.Dir = false, *keep
	}
	server, err := start(signals, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUnstarted
	}
	code, err := runCommand(args, server.URL(), signals)
	if err = errors.Join(err, server.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// start starts the server, unless a signal arrives first.
func start(signals <-chan os.Signal, options localpg.Options) (*localpg.Server, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case s := <-signals:
			cancel(fmt.Errorf("testserver: %s", s))
		case <-ctx.Done():
		}
	}()
	server, err := localpg.Start(ctx, options)
	cancel(nil)
	<-stopped
	return server, err
}

// runCommand runs the command in a process group of its own, and passes every signal to
// that group once.
func runCommand(args []string, url string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TEST_DATABASE_URL="+url)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return exitUnstarted, fmt.Errorf("testserver: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-cmd.Process.Pid, number)
			}
		case err := <-done:
			return exitCode(cmd, err)
		}
	}
}

func exitCode(cmd *exec.Cmd, err error) (int, error) {
	if cmd.ProcessState == nil {
		return exitUnstarted, err
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}
