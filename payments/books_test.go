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
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
)

// booksTime is the variable that makes TestBooks_Property run for longer than the
// suite's seconds, "10m" say.
const booksTime = "GAROUPA_BOOKS_TIME"

// Whatever is done with money, in any order, by many at once on several instances,
// some of whom die in the middle: at every moment all amounts add up, no book of an
// account is below zero, and the books agree with the rows.
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
	t.Logf("%d acts, of which %d died; %d looks at the books: %s", w.acts.Load(), w.died.Load(), w.looks.Load(), done)
	if os.Getenv(booksTime) != "" {
		for _, name := range w.names() {
			if w.count(name) == 0 {
				t.Errorf("%s never succeeded: %s", name, done)
			}
		}
	}
}

// world is a gateway under many hands.
type world struct {
	*paymentstest.Gateway
	instances []*payments.Service
	staff     []payments.Actor
	deeds     []deed
	received  []psp.Payment // some of the payments, to be repeated
	mu        sync.Mutex
	succeeded map[string]int

	acts, died, looks atomic.Int64
}

// deed is something that may be done with money.
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
	if err := w.DB.Exec("UPDATE accounts SET withdrawal_fee_basis_points = 50, withdrawal_fee_fixed = 25").Error; err != nil {
		t.Fatal(err)
	}
	w.Account.WithdrawalFeeBasisPoints, w.Account.WithdrawalFeeFixed = 50, 25
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
	w.deeds = append(append(w.receipts(), w.withdrawals()...), w.decisions()...)
	return w
}

// mortals is what PostgreSQL knows the connections of the instances by.
const mortals = "mortal"

// mortal is the address of a database for connections that may be killed.
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

// kill ends a connection of an instance, whatever it is in the middle of. Payments that
// share a commit do not end with the one who asked for them; this ends them.
func (w *world) kill(ctx context.Context, _ *payments.Service, _ *rand.Rand) error {
	_, err := w.DB.Pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND application_name = $1 ORDER BY state <> 'idle' DESC, random() LIMIT 1`, mortals)
	return err
}

// killed reports whether err is what a killed connection leaves.
func killed(err error) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code == "57P01"
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, driver.ErrBadConn, sql.ErrConnDone} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return pgconn.SafeToRetry(err)
}

// act does one thing, and dies in the middle of one in five.
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
	case fault.Of(err).Code == fault.Internal && !errors.Is(err, models.ErrNotFound):
		return fmt.Errorf("%s: %w", d.name, err)
	}
	return nil
}

// watch looks at the books while others write them.
func (w *world) watch(t *testing.T, end time.Time) error {
	for time.Now().Before(end) {
		began := time.Now()
		if err := w.check(t.Context()); err != nil {
			return err
		}
		w.looks.Add(1)
		time.Sleep(20*time.Millisecond + 2*time.Since(began)) // a look reads everything there is
	}
	return nil
}

func (w *world) check(ctx context.Context) error {
	for _, livemode := range []bool{false, true} {
		b, err := ledger.BalanceOf(ctx, w.DB.Pool, w.Account.ID, livemode)
		if err != nil {
			return err
		}
		if b.Gross-b.Fee-b.Refunded-b.Withdrawn != b.Total() || min(b.Pending, b.Available, b.Reserved, b.Blocked) < 0 {
			return fmt.Errorf("the balance is %+v", b)
		}
	}
	drift, err := w.CheckBooks(ctx)
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

// one returns an id that a query finds, at random, or models.ErrNotFound.
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

func (w *world) person(random *rand.Rand) payments.Actor {
	return w.staff[random.IntN(len(w.staff))]
}

// receipts are what brings money in, and what time does to it.
func (w *world) receipts() []deed {
	pay := func(ctx context.Context, s *payments.Service, random *rand.Rand, more int64, times int) error {
		scope := w.Test
		if random.IntN(4) > 0 {
			scope = w.Live
		}
		c, _, err := s.CreateCheckout(ctx, scope, w.Account, paymentstest.Filled(payments.NewCheckout{Amount: money.Cents(100 + random.IntN(300_00))}))
		for range times {
			if err == nil {
				received := simulator.Pay(c.TxID, int64(c.Amount)+more, w.Clock.Now())
				w.mu.Lock()
				w.received = append(w.received, received)
				w.mu.Unlock()
				err = s.ConfirmPayment(ctx, scope.Livemode, received)
			}
		}
		return err
	}
	return []deed{
		{"pay", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, 0, 1)
		}},
		{"pay in part", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, -1, 1)
		}},
		{"pay twice", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			return pay(ctx, s, random, 0, 2)
		}},
		{"pay nobody", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			return s.ConfirmPayment(ctx, true, simulator.Pay("nobody", 77, w.Clock.Now()))
		}},
		{"repeat a payment", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			w.mu.Lock()
			if len(w.received) == 0 {
				w.mu.Unlock()
				return models.ErrNotFound
			}
			received := w.received[random.IntN(len(w.received))]
			w.mu.Unlock()
			return s.ConfirmPayment(ctx, random.IntN(4) > 0, received) // in the wrong environment it is nobody's
		}},
		{"pass time", func(context.Context, *payments.Service, *rand.Rand) error { w.Clock.Advance(time.Second); return nil }},
		{"settle", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			_, err := s.SettleDue(ctx)
			return err
		}},
		{"cover", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			_, err := s.CoverDue(ctx)
			return err
		}},
		{"kill", w.kill},
		{"snapshot", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error { return s.SnapshotLedger(ctx) }},
		{"roll back", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			err := s.DB.InTx(ctx, func(tx *models.Tx) error {
				err := ledger.Post(tx, w.Clock.Now(), ledger.Posting{Fact: fmt.Sprint("gift/", random.Uint64()), Transfers: []ledger.Transfer{{
					From: ledger.Clearing(true), To: ledger.Account(w.Account.ID, true, ledger.Available), Amount: 1_000_000_00,
				}}})
				time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
				return errors.Join(errRollBack, err)
			})
			if errors.Is(err, errRollBack) && ctx.Err() == nil {
				return nil
			}
			return err
		}},
	}
}

var errRollBack = errors.New("roll back")

// withdrawals are what takes money out, step by step and in every way.
func (w *world) withdrawals() []deed {
	on := func(name string, status models.WithdrawalStatus, act func(ctx context.Context, s *payments.Service, by payments.Actor, id string) error) deed {
		return deed{name, func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			id, err := w.one(ctx, s, "SELECT id FROM withdrawals WHERE status = $1", status)
			if err != nil {
				return err
			}
			return act(ctx, s, w.person(random), id)
		}}
	}
	return []deed{
		{"withdraw", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			in := paymentstest.Withdrawal([]models.Rail{models.RailPix, models.RailUSDT}[random.IntN(2)], money.Cents(5_00+random.IntN(300_00)))
			in.IdempotencyKey = fmt.Sprint(random.IntN(2000))
			_, _, err := s.RequestWithdrawal(ctx, w.Account, in)
			return err
		}},
		{"withdraw everything", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error {
			b, err := ledger.BalanceOf(ctx, s.DB.Pool, w.Account.ID, true)
			if err != nil || b.Available < 5_00 {
				return errors.Join(models.ErrNotFound, err)
			}
			_, _, err = s.RequestWithdrawal(ctx, w.Account, paymentstest.Withdrawal(models.RailPix, min(b.Available, 50_000_00)))
			return err
		}},
		on("cancel", models.WithdrawalPendingReview, func(ctx context.Context, s *payments.Service, _ payments.Actor, id string) error {
			_, err := s.CancelWithdrawal(ctx, w.Member(), w.Account.ID, id)
			return err
		}),
		on("reject", models.WithdrawalPendingReview, func(ctx context.Context, s *payments.Service, by payments.Actor, id string) error {
			_, err := s.RejectWithdrawal(ctx, by, id, 1, "OTHER", "Não.")
			return err
		}),
		on("approve", models.WithdrawalPendingReview, w.approve), on("approve again", models.WithdrawalPendingReview, w.approve),
		on("start", models.WithdrawalApproved, func(ctx context.Context, s *payments.Service, by payments.Actor, id string) error {
			_, err := s.StartPayout(ctx, by, id)
			return err
		}),
		on("complete", models.WithdrawalProcessing, func(ctx context.Context, s *payments.Service, by payments.Actor, id string) error {
			_, err := s.CompleteWithdrawal(ctx, by, id, payments.Proof{EndToEndID: simulator.PayOut(w.Clock.Now()), TxHash: simulator.TransferUSDT()})
			return err
		}),
		on("fail", models.WithdrawalApproved, w.fail), on("fail late", models.WithdrawalProcessing, w.fail),
		on("return", models.WithdrawalCompleted, func(ctx context.Context, s *payments.Service, by payments.Actor, id string) error {
			_, err := s.ReturnWithdrawal(ctx, by, id, "MD06", "Voltou.")
			return err
		}),
		{"pay out", func(ctx context.Context, s *payments.Service, _ *rand.Rand) error { return s.PayOutDue(ctx) }},
	}
}

func (w *world) approve(ctx context.Context, s *payments.Service, by payments.Actor, id string) error {
	look, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, id)
	if err != nil {
		return err
	}
	_, err = s.ApproveWithdrawal(ctx, by, id, look.Version)
	return err
}

func (w *world) fail(ctx context.Context, s *payments.Service, by payments.Actor, id string) error {
	_, err := s.FailWithdrawal(ctx, by, id, "AC03", "Não.")
	return err
}

// decisions are what staff do to money besides.
func (w *world) decisions() []deed {
	on := func(name, query string, act func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error) deed {
		return deed{name, func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			id, err := w.one(ctx, s, query)
			if err != nil {
				return err
			}
			return act(ctx, s, random, id)
		}}
	}
	const open, blocked = "SELECT payment_id FROM payment_exceptions WHERE decision IS NULL", "SELECT id FROM blocked_amounts WHERE released_at IS NULL"
	return []deed{
		on("accept", open, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.AcceptException(ctx, w.person(random), id, "Sim.")
			return err
		}),
		on("give back", open, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.RefundException(ctx, w.person(random), id, "Sim.", "")
			return err
		}),
		on("write off", open, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.WriteOffException(ctx, w.person(random), id, "Sim.")
			return err
		}),
		on("refund", "SELECT id FROM payments WHERE settles", func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.RefundPayment(ctx, w.person(random), payments.NewRefund{PaymentID: id, Amount: money.Cents(1 + random.IntN(50_00)), Reason: "Sim."})
			return err
		}),
		{"block", func(ctx context.Context, s *payments.Service, random *rand.Rand) error {
			_, err := s.BlockAmount(ctx, w.person(random), w.Account.ID, random.IntN(2) == 0, money.Cents(1+random.IntN(100_00)), "Sim.")
			return err
		}},
		on("unblock", blocked, func(ctx context.Context, s *payments.Service, random *rand.Rand, id string) error {
			_, err := s.UnblockAmount(ctx, w.person(random), id, "Não.")
			return err
		}),
	}
}
