package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	deliverName = "deliver"
	// eventsPerSecond is the pace at which the delay of deliveries is measured.
	eventsPerSecond = 100
	// drainWithin bounds how long a backlog may take.
	drainWithin = time.Minute
)

// delivery holds the figures of webhooks.
type delivery struct {
	rounds   []deliveryRound
	p50, p99 time.Duration // from the request that creates an event to its first byte at the receiver
	paced    int           // the number of deliveries behind p50 and p99
}

// deliveryRound is the bare loop and the product, one right after the other.
type deliveryRound struct {
	bare, product float64 // posts a second; the product also records each
	deliveries    int
	cpu           usage   // of the product's half
	commits       float64 // for each delivery
	wal           float64 // bytes for each delivery
}

// deliverer measures deliveries to one endpoint.
type deliverer struct {
	*bench
	receiver *receiver
	merchant merchant
	endpoint string
	body     []byte
	conn     *pgx.Conn
}

// deliver measures how fast a backlog of deliveries is sent, and the delay of a delivery at
// a steady pace.
func (b *bench) deliver(ctx context.Context) (found *delivery, err error) {
	d := &deliverer{bench: b}
	if d.receiver, err = newReceiver(); err != nil {
		return nil, err
	}
	defer d.receiver.server.Shutdown()
	v, err := b.site.serve(ctx, b.site.program, b.site.postgres.URL())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.stop()) }()
	if d.conn, err = pgx.Connect(ctx, b.site.postgres.URL()); err != nil {
		return nil, err
	}
	defer d.conn.Close(context.WithoutCancel(ctx))
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	m, err := newMeter(ctx, b.site, v)
	if err != nil {
		return nil, err
	}
	found = &delivery{}
	if err := d.pace(ctx, found); err != nil {
		return nil, err
	}
	if _, err := d.drain(ctx, m, 1000); err != nil { // a warm-up
		return nil, err
	}
	for range b.rounds {
		bare, err := postAll(ctx, d.receiver.url, d.body, time.Duration(b.seconds)*time.Second)
		if err != nil {
			return nil, fmt.Errorf("the bare loop: %w", err)
		}
		r, err := d.drain(ctx, m, int(bare)*b.seconds/2)
		if err != nil {
			return nil, err
		}
		r.bare = bare
		found.rounds = append(found.rounds, r)
		progress(fmt.Sprintf("%s: %.0f by a bare loop, %.0f by the product", deliverName, r.bare, r.product))
	}
	return found, nil
}

// prepare registers the receiver for a merchant and creates the event that the backlog
// copies.
func (d *deliverer) prepare(ctx context.Context) error {
	answer, err := d.site.command(ctx, "demo", "--json", "--webhook-url", d.receiver.url)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, &d.merchant); err != nil {
		return err
	}
	if err := d.create(d.merchant.Keys.Live, "model"); err != nil {
		return err
	}
	return d.conn.QueryRow(ctx, `SELECT e.id, v.body FROM webhook_endpoints e JOIN events v USING (project_id, livemode)
		WHERE e.project_id = $1 AND e.livemode`, d.merchant.ProjectID).Scan(&d.endpoint, &d.body)
}

// create creates a checkout, and waits for the answer.
func (d *deliverer) create(key, externalID string) error {
	conn, err := dial(d.site.listen)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.ask(d.creation(key, externalID))
	return err
}

func (d *deliverer) creation(key, externalID string) []byte {
	body := fmt.Sprintf(creationBody, externalID)
	return fmt.Appendf(nil,
		"POST /v1/checkouts HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s",
		d.site.listen, key, len(body), body)
}

// pace creates events at a steady pace and measures from the request to the event's first
// byte at the receiver. The creation is included, because only the database knows the
// moment of the commit.
func (d *deliverer) pace(ctx context.Context, found *delivery) error {
	const connections = 8
	jobs := make(chan string)
	group, running := errgroup.WithContext(ctx)
	for range connections {
		conn, err := dial(d.site.listen)
		if err != nil {
			return err
		}
		defer conn.Close()
		group.Go(func() error {
			for id := range jobs {
				d.receiver.expect(externalPrefix+id, time.Now())
				if _, err := conn.ask(d.creation(d.merchant.Keys.Live, id)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(jobs)
		tick := time.NewTicker(time.Second / eventsPerSecond)
		defer tick.Stop()
		for range d.seconds * eventsPerSecond {
			select {
			case <-running.Done():
				return running.Err()
			case <-tick.C:
			}
			select {
			case <-running.Done():
				return running.Err()
			case jobs <- fmt.Sprintf("%016x", rand.Uint64()):
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return fmt.Errorf("make events at a pace: %w", err)
	}
	if err := d.until(ctx, func() (bool, error) { return d.receiver.missing() == 0, nil }); err != nil {
		return fmt.Errorf("%d events did not arrive: %w", d.receiver.missing(), err)
	}
	found.p50, found.p99 = d.receiver.delays.quantile(0.50), d.receiver.delays.quantile(0.99)
	found.paced = int(d.receiver.delays.total)
	return nil
}

// drain writes a backlog in one commit and measures the time until all of it is recorded.
func (d *deliverer) drain(ctx context.Context, m meter, n int) (r deliveryRound, err error) {
	if err := checkpoint(ctx, d.site); err != nil {
		return r, err
	}
	d.receiver.reset()
	if err := d.fill(ctx, n); err != nil { // the server finds it within a quarter of a second
		return r, fmt.Errorf("write a backlog: %w", err)
	}
	before, err := m.read()
	if err != nil {
		return r, err
	}
	filled, err := d.counters(ctx)
	if err != nil {
		return r, err
	}
	err = d.until(ctx, func() (left bool, err error) {
		if int(d.receiver.count.Load()) < n { // the query itself costs the database something
			return false, nil
		}
		err = d.conn.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM webhook_deliveries
			WHERE endpoint_id = $1 AND status = 'PENDING')`, d.endpoint).Scan(&left)
		return left, err
	})
	if err != nil {
		return r, fmt.Errorf("%d of %d deliveries were posted: %w", d.receiver.count.Load(), n, err)
	}
	took := time.Since(time.Unix(0, d.receiver.first.Load()))
	if posted := int(d.receiver.count.Load()); posted != n {
		return r, fmt.Errorf("%d posts of %d deliveries", posted, n)
	}
	after, err := m.read()
	if err != nil {
		return r, err
	}
	time.Sleep(2 * time.Second) // sessions report their statistics once a second
	done, err := d.counters(ctx)
	if err != nil {
		return r, err
	}
	r.product, r.deliveries, r.cpu = float64(n)/took.Seconds(), n, after.minus(before)
	r.commits, r.wal = (done.commits-filled.commits)/float64(n), (done.wal-filled.wal)/float64(n)
	return r, nil
}

// fill inserts deliveries of copies of the model, as the statement deliverTold of package
// models does, with ids as a thousand events a second have.
func (d *deliverer) fill(ctx context.Context, n int) error {
	_, err := d.conn.Exec(ctx, `WITH model AS (
			SELECT * FROM events WHERE project_id = $1 AND livemode LIMIT 1
		), told AS (
			INSERT INTO events (id, month, project_id, livemode, type, test, body, created_at)
			SELECT 'evt_' || to_hex(extract(epoch FROM now())::int + i / 1000)
				|| left(replace(gen_random_uuid()::text, '-', ''), 16),
				date_trunc('month', now() AT TIME ZONE 'UTC'), project_id, livemode, type, true, body, now()
			FROM model CROSS JOIN generate_series(1, $2) AS i RETURNING id, month, created_at
		)
		INSERT INTO webhook_deliveries (id, month, event_id, endpoint_id, next_attempt_at, created_at)
		SELECT 'dlv_' || substr(id, 5, 8) || left(replace(gen_random_uuid()::text, '-', ''), 16), month, id, $3,
			created_at, created_at
		FROM told`, d.merchant.ProjectID, n, d.endpoint)
	return err
}

// counters are PostgreSQL's own counters.
type counters struct{ commits, wal float64 }

func (d *deliverer) counters(ctx context.Context) (c counters, err error) {
	err = d.conn.QueryRow(ctx, `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
		(SELECT wal_bytes FROM pg_stat_wal)::float8`).Scan(&c.commits, &c.wal)
	return c, err
}

// until waits until holds returns true.
func (d *deliverer) until(ctx context.Context, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, drainWithin)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := holds()
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("deliveries are not worked off: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
