// Command cluster starts the cluster of deploy/cluster as processes on this machine, prints its addresses, and ends
// it on an interrupt. `make cluster` runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"garoupa/tools/cluster/machines"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	program := flag.String("program", "bin/garoupa", "the built program")
	templates := flag.String("templates", "deploy/cluster", "the folder of the files to fill in")
	flag.Parse()
	var o machines.Options
	for _, path := range []struct {
		to   *string
		from string
	}{{&o.Program, *program}, {&o.Templates, *templates}} {
		if *path.to, err = filepath.Abs(path.from); err != nil {
			return err
		}
	}
	c, err := machines.Start(ctx, o)
	if err == nil {
		describe(c)
		<-ctx.Done()
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, c.Stop())
}

func describe(c *machines.Cluster) {
	fmt.Printf("\n  Garoupa, through HAProxy   http://%s\n  The leading PostgreSQL     %s\n\n", c.Web, c.DatabaseURL())
	for _, m := range c.Machines {
		fmt.Printf("  PostgreSQL %-15s %s\n", m.Name, m.Postgres)
	}
	for _, p := range c.Processes {
		fmt.Printf("  serve -%-19s %s\n", p.Role, p.Address)
	}
	fmt.Printf("\n  Files and logs             %s\n\n  Ctrl-C ends it all.\n\n", c.Folder)
}
