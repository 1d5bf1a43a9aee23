package payments_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
)

// booksTime is the environment variable with the duration of TestBooks_Property, such as
// "10m". The default is a few seconds.
const booksTime = "GAROUPA_BOOKS_TIME"

// Random operations on money run concurrently on several instances, some of which die in
// the middle. At every moment all amounts add up, no account's book but that of available money is negative,
// and the books agree with the rows.
func TestBooks_Property(t *testing.T) {
	t.Parallel()
	length := 3 * time.Second
	if text := os.Getenv(booksTime); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		length = time.Second
	}
	seed := uint64(time.Now().UnixNano())
	w := newWorld(t, 3)
	end := time.Now().Add(length)
	var group errgroup.Group
	for i := range 8 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		group.Go(func() error {
			for time.Now().Before(end) {
				if err := w.act(random); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error { return w.watch(t, end) })
	if err := group.Wait(); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if err := w.check(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("at the end, seed %d: %v", seed, err)
	}
	done := w.summary()
	t.Logf("%d operations, %d killed; %d checks of the books: %s", w.acts.Load(), w.died.Load(), w.looks.Load(), done)
	if os.Getenv(booksTime) != "" {
		for _, name := range w.names() {
			if w.count(name) == 0 {
				t.Errorf("%s never succeeded: %s", name, done)
			}
		}
	}
}

// world is a gateway with many concurrent users.
type world struct {
	*paymentstest.Gateway
	instances []*payments.Service
	staff     []models.Actor
	deeds     []deed
	received  []psp.Payment // some of the payments, to be repeated
	mu        sync.Mutex
	succeeded map[string]int

	acts, died, looks atomic.Int64
}

// deed is an operation on money.
type deed struct {
	name string
	do   func(ctx context.Context, s *payments.Service, random *rand.Rand) error
}

func newWorld(t *testing.T, instances int) *world {
	t.Helper()
	w := &world{Gateway: paymentstest.New(t), succeeded: map[string]int{}}
	w.GoLive(t)
	w.Sell(t, "5.4212")
	w.Destination(t, models.RailPix)
	w.Destination(t, models.RailUSDT)
	w.SetWithdrawalFee(t, money.Fee{BasisPoints: 50, Fixed: 25})
	for range 3 {
		w.staff = append(w.staff, w.Staff(t))
	}
	for range instances {
		db, err := models.Open(t.Context(), mortal(t, w.DB.Pool.Config().ConnString()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		o := w.Options
		o.DB, o.Withdrawals.DailyMax, o.Withdrawals.FourEyes = db, money.Max, 200_00
		w.instances = append(w.instances, payments.New(o))
	}
	w.openBanks(t)
	w.deeds = slices.Concat(w.receipts(), w.passages(), w.withdrawals(), w.decisions(), w.disputes(), w.atBanks())
	return w
}

// mortals is the application name of the instances' connections.
const mortals = "mortal"

// mortal returns the URL of the database for connections that may be killed.
func mortal(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	values.Set("application_name", mortals)
	u.RawQuery = values.Encode()
	return u.String()
}

// kill ends a random connection of an instance. Canceling the context of a payment that shares
// a commit does not end the commit; this does.
func (w *world) kill(ctx context.Context, _ *payments.Service, _ *rand.Rand) error {
	_, err := w.DB.Pool.Exec(ctx,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND application_name = $1 ORDER BY state <> 'idle' DESC, random() LIMIT 1`, mortals)
	return err
}

// killed reports whether err comes from a killed connection.
func killed(err error) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code == "57P01"
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE,
		driver.ErrBadConn, sql.ErrConnDone} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return pgconn.SafeToRetry(err)
}

// act runs one operation, and kills one in five while it runs.
func (w *world) act(random *rand.Rand) error {
	d := w.deeds[random.IntN(len(w.deeds))]
	s := w.instances[random.IntN(len(w.instances))]
	ctx, cancel := context.WithCancel(context.Background())
	dies := random.IntN(5) == 0
	if dies {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(4000))*time.Microsecond)
	}
	defer cancel()
	err := d.do(ctx, s, random)
	w.acts.Add(1)
	switch {
	case err == nil:
		w.mu.Lock()
		w.succeeded[d.name]++
		w.mu.Unlock()
	case dies && ctx.Err() != nil, killed(err):
		w.died.Add(1)
	case refusal.Of(err).Code == refusal.Internal && !errors.Is(err, models.ErrNotFound):
		return fmt.Errorf("%s: %w", d.name, err)
	}
	return nil
}

// watch checks the books while operations change them.
func (w *world) watch(t *testing.T, end time.Time) error {
	for time.Now().Before(end) {
		began := time.Now()
		if err := w.check(t.Context()); err != nil {
			return err
		}
		w.looks.Add(1)
		time.Sleep(20*time.Millisecond + 2*time.Since(began)) // a check of the whole history takes longer and longer
	}
	return nil
}

func (w *world) check(ctx context.Context) error {
	for _, environment := range []models.Environment{models.Test, models.Live} {
		b, err := ledger.BalanceOf(ctx, w.DB.Pool, w.Account.ID, environment)
		if err != nil {
			return err
		}
		if b.Gross-b.Fee-b.Refunded-b.Withdrawn != b.Total() || min(b.Pending, b.Reserved, b.Blocked) < 0 {
			return fmt.Errorf("the balance is %+v", b)
		}
	}
	drift, err := w.CheckBooks(ctx) // the new rows
	if err == nil && len(drift) == 0 {
		drift, err = ledger.Check(ctx, w.DB.Pool) // the whole history
	}
	if err == nil && len(drift) > 0 {
		err = fmt.Errorf("the books do not agree: %s", strings.Join(drift, "; "))
	}
	return err
}

func (w *world) names() (names []string) {
	for _, d := range w.deeds {
		names = append(names, d.name)
	}
	return names
}

func (w *world) count(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.succeeded[name]
}

func (w *world) summary() string {
	var text strings.Builder
	for _, name := range w.names() {
		fmt.Fprintf(&text, "%s %d, ", name, w.count(name))
	}
	return strings.TrimSuffix(text.String(), ", ")
}

// one returns a random id from the result of a query, or models.ErrNotFound.
func (w *world) one(ctx context.Context, s *payments.Service, query string, args ...any) (id string, err error) {
	rows, err := s.DB.Pool.Query(ctx, query+" ORDER BY random() LIMIT 1", args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "", errors.Join(models.ErrNotFound, rows.Err())
	}
	return id, rows.Scan(&id)
}

func (w *world) person(random *rand.Rand) models.Actor {
	return w.staff[random.IntN(len(w.staff))]
}
