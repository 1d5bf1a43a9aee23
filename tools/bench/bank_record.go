package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/pix/psp/bank/control"
)

// sweptEach is how many Pix a second of a round are recorded at least, so that several commits share them.
const sweptEach = 200

// recordings pays as many checkouts at the simulator as at the bank, and returns how many payments a second
// are confirmed: those that the simulator reports one by one, and those of the bank's list.
func (b *bench) recordings(ctx context.Context, bank *servedBank) (confirmed, swept float64, err error) {
	n := sweptEach * b.seconds
	simulated, err := b.createMany(ctx, models.Test, n)
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := b.eachOf(ctx, simulated, func(conn *connection, c checkout) error {
		_, err := conn.ask(b.site.payment(c.ID))
		return err
	}); err != nil {
		return 0, 0, fmt.Errorf("pay at the simulator: %w", err)
	}
	confirmed = float64(n) / time.Since(start).Seconds()
	charged, err := b.createMany(ctx, models.Live, n)
	if err != nil {
		return 0, 0, err
	}
	conn, err := pgx.Connect(ctx, b.site.postgres.URL())
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := holdSweeps(ctx, conn); err != nil {
		return 0, 0, err
	}
	if err := b.eachOf(ctx, charged, func(_ *connection, c checkout) error {
		_, err := bank.control.Pay(ctx, control.PayRequest{Code: c.Pix.CopyPaste})
		return err
	}); err != nil {
		return 0, 0, fmt.Errorf("pay at the bank: %w", err)
	}
	swept, err = sweepAll(ctx, conn, n)
	return confirmed, swept, err
}

// holdSweeps makes the product leave the bank's list alone.
func holdSweeps(ctx context.Context, conn *pgx.Conn) error {
	const notNow = "UPDATE bank_charges SET next_check_at = now() + interval '1 day' WHERE status = 'OPEN'"
	if _, err := conn.Exec(ctx, notNow); err != nil {
		return err
	}
	return eventually(ctx, drainWithin, func() (bool, error) { // between two pieces of work
		done, err := conn.Exec(ctx, `UPDATE bank_sweeps SET swept_at = now() + interval '1 day',
			old_read_at = now() + interval '1 day' WHERE leased_until <= now()`)
		return done.RowsAffected() == 1, err
	})
}

// sweepAll lets the product read the bank's list, and returns how many Pix a second it records from the first
// commit to the last.
func sweepAll(ctx context.Context, conn *pgx.Conn, n int) (rate float64, err error) {
	const count = "SELECT count(*) FROM bank_charges WHERE status = 'PAID'"
	var before, first, now int
	if err := conn.QueryRow(ctx, count).Scan(&before); err != nil {
		return 0, err
	}
	if _, err := conn.Exec(ctx, "UPDATE bank_sweeps SET swept_at = NULL"); err != nil {
		return 0, err
	}
	var start time.Time
	err = eventually(ctx, drainWithin, func() (bool, error) {
		if err := conn.QueryRow(ctx, count).Scan(&now); err != nil {
			return false, err
		}
		if now > before && start.IsZero() {
			start, first = time.Now(), now
		}
		return now >= before+n, nil
	})
	if err != nil {
		return 0, fmt.Errorf("%d of %d Pix are recorded: %w", now-before, n, err)
	}
	return float64(now-first) / time.Since(start).Seconds(), nil
}

// creating returns the requests of a connection that charges in live.
func (b *bench) creating() func(*rand.Rand) requests {
	return func(random *rand.Rand) requests { return b.site.creations(b.site.secret(models.Live), random) }
}

// createMany creates n checkouts.
func (b *bench) createMany(ctx context.Context, environment models.Environment, n int) ([]checkout, error) {
	made := make([]checkout, n)
	group, ctx := errgroup.WithContext(ctx)
	for i := range bankClients {
		group.Go(func() error {
			conn, err := dial(b.site.listen)
			if err != nil {
				return err
			}
			defer conn.Close()
			next := b.site.creations(b.site.secret(environment), rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
			for ; i < n && ctx.Err() == nil; i += bankClients {
				answer, err := conn.ask(next())
				if err != nil {
					return fmt.Errorf("create a checkout: %w", err)
				}
				if made[i], err = readCheckout(answer); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return made, group.Wait()
}

// eachOf calls do for all checkouts, by as many connections as there are clients.
func (b *bench) eachOf(ctx context.Context, all []checkout, do func(*connection, checkout) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range bankClients {
		group.Go(func() error {
			conn, err := dial(b.site.listen)
			if err != nil {
				return err
			}
			defer conn.Close()
			for ; i < len(all) && ctx.Err() == nil; i += bankClients {
				if err := do(conn, all[i]); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}
