// Command bench measures how fast Garoupa creates, reads, lists and confirms checkouts and
// reads a balance, and compares it with pgbench running the same SQL statements on the same
// PostgreSQL. It also measures how fast it delivers webhooks, compared with a bare loop
// that posts them, and live charges at a bank, compared with a bare loop that creates them there:
//
//	go run ./tools/bench
//
// One run starts a PostgreSQL and a server, loads the same data each time, and alternates
// between pgbench and the product, so that a machine which slows down slows both. It prints
// its tables and writes them, with its method, to docs/benchmarks.md. It runs on Linux, in
// the repository's root, and needs bin/garoupa and a PostgreSQL with pgbench.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// folder holds the files of a run. It is on the repository's disk, because the system's
// temporary folders may be in memory.
const folder = "tmp"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	generator, err := findPgbench(ctx, os.Getenv("GAROUPA_POSTGRES_BIN"))
	if err != nil {
		return err
	}
	progress("starting PostgreSQL and a merchant")
	s, err := openSite(ctx, folder, o.program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	progress("building a server that can be profiled")
	profiled, err := buildProfiled(ctx, ".", s.dir, released...)
	if err != nil {
		return err
	}
	progress("asking the product which statements it runs")
	recorded, err := record(ctx, s)
	if err != nil {
		return err
	}
	progress(fmt.Sprintf("loading %d checkouts", o.rows))
	data, err := load(ctx, s, o.rows)
	if err != nil {
		return err
	}
	report := report{options: o}
	if report.machine, err = describeMachine(ctx, s, generator); err != nil {
		return err
	}
	b := bench{options: o, site: s, data: data, pgbench: generator, recorded: recorded, unpaid: newStock(s, data),
		profiled: profiled}
	if report.cells, err = b.measure(ctx); err != nil {
		return err
	}
	if o.only.MatchString(deliverName) {
		if report.delivery, err = b.deliver(ctx); err != nil {
			return fmt.Errorf("%s: %w", deliverName, err)
		}
	}
	if o.only.MatchString(bankName) {
		if report.bank, err = b.bank(ctx); err != nil {
			return fmt.Errorf("%s: %w", bankName, err)
		}
	}
	if report.profiles, err = b.profile(ctx); err != nil {
		return err
	}
	fmt.Print(report.tables())
	return report.write()
}

// progress prints the current step.
func progress(what string) { fmt.Fprintln(os.Stderr, "bench:", what) }
