package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
)

// warmUp is how long each side runs before its rounds, in seconds.
const warmUp = 1

// result is what one side achieved in one round.
type result struct {
	rate     float64 // per second
	p50, p99 time.Duration
	cpu      usage
}

// round is all sides, one right after the other.
type round struct {
	pgbench, product result
	neutral          result // of pgbench on the neutral table; zero in series without it
}

// cell is one line of the tables: a series with a number of connections.
type cell struct {
	series      string
	connections int
	rounds      []round
}

// series is one kind of work with one key.
type series struct {
	name     string
	made     string // a query that counts the rows the script has created; "" if it only reads
	rows     int    // the least number of rows that the script finds or creates
	script   script
	neutral  script // the least work of this kind, on the neutral table; without files for none
	requests func(*rand.Rand) requests
	stock    *stock // consumed by the work; nil if the work consumes nothing
}

// ready prepares the stock for some seconds of work.
func (w series) ready(ctx context.Context, seconds int) error {
	if w.stock == nil {
		return nil
	}
	return w.stock.fill(ctx, seconds)
}

// now returns the script, starting at the first unused row of the stock.
func (w series) now() script {
	if w.stock == nil {
		return w.script
	}
	return w.script.from(w.stock.first)
}

// Queries that count the rows a script has created in the current transaction.
const (
	madeCheckouts = "SELECT count(*) FROM checkouts WHERE created_at = now()"
	madePayments  = `SELECT count(*) FROM checkouts c JOIN payments p ON p.checkout_id = c.id AND p.settles
		JOIN ledger_transfers l ON l.fact = 'payment/' || p.id JOIN events e ON e.checkout_id = c.id
			AND e.type = 'checkout.paid'
		WHERE c.status = 'PAID' AND c.paid_at = now() AND p.recorded_at = now()`
)

// bench is one run.
type bench struct {
	options
	site     *site
	data     *dataset
	pgbench  pgbench
	recorded map[models.Environment]*recording
	unpaid   *stock
	profiled string // the profiling build of the program
}

// measure measures all series. Reads come first, because creations and payments change the
// data.
func (b *bench) measure(ctx context.Context) (cells []cell, err error) {
	v, err := b.site.serve(ctx, b.site.program, b.site.postgres.URL())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.stop()) }()
	progress("following the pages of both lists")
	if err := b.data.follow(b.site); err != nil {
		return nil, fmt.Errorf("follow the pages: %w", err)
	}
	m, err := newMeter(ctx, b.site, v)
	if err != nil {
		return nil, err
	}
	all, err := b.series()
	if err != nil {
		return nil, err
	}
	if err := b.verify(ctx, all); err != nil {
		return nil, err
	}
	for _, work := range all {
		for _, connections := range b.connections {
			c, err := b.measureOne(ctx, m, work, connections)
			if err != nil {
				return nil, fmt.Errorf("%s at %d connections: %w", work.name, connections, err)
			}
			progress(c.line())
			cells = append(cells, c)
		}
	}
	return cells, nil
}

func (b *bench) verify(ctx context.Context, all []series) error {
	conn, err := pgx.Connect(ctx, b.site.postgres.URL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, work := range all {
		if err := work.ready(ctx, 1); err != nil {
			return err
		}
		if err := work.now().verify(ctx, conn, work.made, work.rows); err != nil {
			return fmt.Errorf("verify the script of %s: %w", work.name, err)
		}
		if err := work.neutral.verify(ctx, conn, "", 1); err != nil {
			return fmt.Errorf("verify the neutral script of %s: %w", work.name, err)
		}
	}
	return nil
}

// series returns the work to measure, live before test.
func (b *bench) series() (chosen []series, err error) {
	var reads, lists, creations []series
	balance, confirmation, err := b.moneySeries()
	if err != nil {
		return nil, err
	}
	for _, environment := range []models.Environment{models.Live, models.Test} {
		r, s, secret := b.recorded[environment], b.site, b.site.secret(environment)
		creation, err := creationScript(r)
		if err != nil {
			return nil, err
		}
		reads = append(reads, series{name: "read " + environment.String(), rows: 1,
			script: readScript(r, b.data, environment), neutral: neutralRead(b.data),
			requests: func(random *rand.Rand) requests { return s.reads(secret, b.data, environment, random) }})
		lists = append(lists, series{name: "list " + environment.String(), rows: 20,
			script:   listScript(r, b.data, environment),
			requests: func(random *rand.Rand) requests { return s.lists(secret, b.data.cursors[environment], random) }})
		creations = append(creations, series{name: "create " + environment.String(), made: madeCheckouts, rows: 1,
			script: creation, neutral: neutralCreation(),
			requests: func(random *rand.Rand) requests { return s.creations(secret, random) }})
	}
	for _, group := range [][]series{reads, lists, {balance}, creations, {confirmation}} {
		for _, work := range group {
			if b.only.MatchString(work.name) {
				chosen = append(chosen, work)
			}
		}
	}
	return chosen, nil
}

// moneySeries returns the work on one busy live account: reading its balance, and paying
// its checkouts.
func (b *bench) moneySeries() (balance, confirmation series, err error) {
	r, request := b.recorded[models.Live], b.site.get(b.site.secret(models.Live), "/v1/balance")
	balance = series{name: "balance live", rows: 1, script: balanceScript(r),
		requests: func(*rand.Rand) requests { return func() []byte { return request } }}
	confirmation = series{name: "confirm live", made: madePayments, rows: 2, stock: b.unpaid, // two lines in the books
		requests: func(*rand.Rand) requests { return b.site.payments(b.unpaid) }}
	confirmation.script, err = confirmationScript(r)
	return balance, confirmation, err
}

func (b *bench) measureOne(ctx context.Context, m meter, work series, connections int) (cell, error) {
	c := cell{series: work.name, connections: connections}
	pgbench := func(seconds int) (result, error) {
		return b.pgbench.run(ctx, b.site, work.now(), connections, seconds)
	}
	neutral := func(seconds int) (result, error) {
		if len(work.neutral.files) == 0 {
			return result{}, nil
		}
		return b.pgbench.run(ctx, b.site, work.neutral, connections, seconds)
	}
	product := func(seconds int) (result, error) {
		r, err := generate(ctx, b.site.listen, connections, time.Duration(seconds)*time.Second, work.requests)
		if err == nil && work.stock != nil {
			err = work.stock.check(ctx)
		}
		return r, err
	}
	for _, side := range []func(int) (result, error){pgbench, neutral, product} {
		if err := work.ready(ctx, warmUp); err != nil {
			return c, err
		}
		if _, err := side(warmUp); err != nil {
			return c, err
		}
	}
	for range b.rounds {
		var r round
		var err error
		if r.pgbench, err = b.half(ctx, m, work, pgbench); err != nil {
			return c, err
		}
		if r.neutral, err = b.half(ctx, m, work, neutral); err != nil {
			return c, err
		}
		if r.product, err = b.half(ctx, m, work, product); err != nil {
			return c, err
		}
		if r.pgbench.rate == 0 {
			return c, errors.New("pgbench finished no transaction in time")
		}
		c.rounds = append(c.rounds, r)
	}
	return c, nil
}

// half runs one side of a round and measures its cost. Before writes it makes PostgreSQL
// flush earlier changes, so that neither side pays for the other.
func (b *bench) half(ctx context.Context, m meter, work series,
	side func(seconds int) (result, error)) (result, error) {
	if err := work.ready(ctx, b.seconds); err != nil {
		return result{}, err
	}
	if work.made != "" {
		if err := checkpoint(ctx, b.site); err != nil {
			return result{}, err
		}
	}
	before, err := m.read()
	if err != nil {
		return result{}, err
	}
	r, err := side(b.seconds)
	if err != nil {
		return result{}, err
	}
	after, err := m.read()
	if err != nil {
		return result{}, err
	}
	own := r.cpu.generator
	r.cpu = after.minus(before)
	if own > 0 { // pgbench is a process of its own
		r.cpu.generator = own
		r.cpu.others = max(r.cpu.others-own, 0)
	}
	return r, nil
}

func checkpoint(ctx context.Context, s *site) error {
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CHECKPOINT")
	return err
}
