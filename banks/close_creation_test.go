package banks_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix"
)

// begin begins a charge as a creation does, by a connection or in a transaction.
func begin(t *testing.T, h *bankstest.House, q models.Querier) (models.BegunCharge, error) {
	id := models.NewCheckoutID()
	return models.NewBankChargeWriter(q, time.Minute).Write(t.Context(), &models.NewBankCharge{
		TxID: pix.ChargeTxID(id), ProjectID: h.Live.ProjectID, CheckoutID: id, Amount: 1_00, Expiration: 60,
		CreatedAt: h.Bank.Clock.Now()})
}

// awaitWaiter returns when a session waits for tx, or done has an error.
func awaitWaiter(t *testing.T, h *bankstest.House, tx pgx.Tx, done chan error) {
	t.Helper()
	for waits := false; !waits && len(done) == 0; {
		waits = modelstest.One[bool](t, h.DB, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE $1 = ANY (pg_blocking_pids(pid)))`, tx.Conn().PgConn().PID())
	}
}

// A charge that is being written when its account is retired and closed keeps the account open.
func TestClose_Creation(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	eva := supervisor(t, h, "eva")
	tx, err := h.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if begun, err := begin(t, h, tx); err != nil || begun.BankAccountID != h.AccountID || !begun.Begun {
		t.Fatalf("%+v, %v", begun, err)
	}
	if err := h.Banks.Retire(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Fatal(err)
	}
	seen, closed := version(t, h), make(chan error, 1)
	go func() { closed <- h.Banks.Close(t.Context(), eva, h.AccountID, seen) }()
	awaitWaiter(t, h, tx, closed)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err == nil {
		t.Error("the account was closed with a charge that is being created")
	}
	if err := h.Banks.Close(t.Context(), eva, h.AccountID, seen); !errors.Is(err, banks.ErrOpen) {
		t.Errorf("afterwards: %v", err)
	}
}

// A charge that waits for the closing of the account that was active when it began is not written there: it
// chooses its account once it has waited, also by a prepared statement.
func TestClose_CreationWaits(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	eva := supervisor(t, h, "eva")
	conn, err := h.DB.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if begun, err := begin(t, h, conn); err != nil || !begun.Begun { // prepares the statement
		t.Fatalf("%+v, %v", begun, err)
	}
	modelstest.Exec(t, h.DB, "DELETE FROM bank_charges")
	tx, err := h.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE bank_charges IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	var begun models.BegunCharge
	created := make(chan error, 1)
	go func() {
		var err error
		begun, err = begin(t, h, conn)
		created <- err
	}()
	awaitWaiter(t, h, tx, created)
	if err := h.Banks.Retire(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-created; err != nil || begun.Begun || begun.BankAccountID != "" {
		t.Errorf("the charge is %+v, %v", begun, err)
	}
	if err := h.Banks.Close(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Error(err)
	}
}
