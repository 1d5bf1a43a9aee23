package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	startWithin = 30 * time.Second
	stopWithin  = 20 * time.Second
)

// server is a serving process of the product.
type server struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	ended  chan struct{} // closed when the process has ended
	err    error         // its result; valid after ended
	log    string
}

// serve starts the program on the site's address and returns when it is ready. extra are
// additional settings.
func (s *site) serve(ctx context.Context, program, databaseURL string, extra ...string) (*server, error) {
	running, cancel := context.WithCancel(ctx)
	v := &server{cancel: cancel, ended: make(chan struct{}), log: filepath.Join(s.dir, "garoupa.log")}
	log, err := os.Create(v.log)
	if err != nil {
		cancel()
		return nil, err
	}
	defer log.Close()
	v.cmd = exec.CommandContext(running, program, "serve")
	v.cmd.Env = append(s.environment(databaseURL), extra...)
	v.cmd.Stderr = log
	v.cmd.Cancel = func() error { return v.cmd.Process.Signal(syscall.SIGTERM) }
	v.cmd.WaitDelay = stopWithin
	if err := v.cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		v.err = v.cmd.Wait()
		close(v.ended)
	}()
	if err := v.waitReady(ctx, "http://"+s.listen+"/readyz"); err != nil {
		return nil, errors.Join(err, v.stop())
	}
	return v, nil
}

func (v *server) waitReady(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-v.ended:
			return errors.New("the server does not start")
		case <-ctx.Done():
			return fmt.Errorf("the server does not become ready: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// stop ends the process. If it had ended already, the error shows its log.
func (v *server) stop() error {
	select {
	case <-v.ended:
		v.cancel()
		text, _ := os.ReadFile(v.log) // the error is clear without it
		return fmt.Errorf("the server ended: %w: %s", v.err, text)
	default:
	}
	v.cancel()
	<-v.ended
	return nil
}
