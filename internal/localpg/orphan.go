package localpg

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

const (
	orphanPatience = 30 * time.Second // for each of the two signals
	pollInterval   = 10 * time.Millisecond
)

// stopOrphans ends what a killed process left running on the cluster in data and returns
// when it has ended. The caller holds the folder's lock, so the processes belong to no
// other server.
func stopOrphans(ctx context.Context, data string) error {
	for _, gently := range []bool{true, false} {
		gone, err := endOrphans(ctx, data, gently)
		if gone || err != nil {
			return err
		}
	}
	return fmt.Errorf("localpg: a server that an earlier run left on %s does not stop: processes %v", data,
		serverProcesses(data))
}

func endOrphans(ctx context.Context, data string, gently bool) (gone bool, err error) {
	pids := serverProcesses(data)
	postmaster, _ := readPostmasterFile(data)
	for _, pid := range pids {
		switch {
		case !gently:
			_ = syscall.Kill(pid, syscall.SIGQUIT)
		case pid == postmaster:
			_ = syscall.Kill(pid, fastShutdown)
		case !slices.Contains(pids, postmaster):
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	late := time.After(orphanPatience)
	for len(pids) > 0 {
		select {
		case <-tick.C:
			pids = serverProcesses(data)
		case <-late:
			return false, nil
		case <-ctx.Done():
			return false, fmt.Errorf("localpg: wait for the server of an earlier run: %w", ctx.Err())
		}
	}
	return true, nil
}
