package payments_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// untilNight moves the clock to half past three in São Paulo of the next night.
func untilNight(h *bankstest.House) {
	now := h.Bank.Clock.Now().UTC()
	night := time.Date(now.Year(), now.Month(), now.Day(), 6, 30, 0, 0, time.UTC)
	if !night.After(now) {
		night = night.Add(24 * time.Hour)
	}
	h.Later(night.Sub(now))
}

// giveBack returns money in the bank's app, and waits until the bank has done so.
func giveBack(t *testing.T, h *bankstest.House, endToEndID string, amount int64) {
	t.Helper()
	part := control.ReturnRequest{EndToEndID: endToEndID, Amount: amount}
	if _, err := h.Bank.Control.Return(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	h.Later(10 * time.Second)
	for {
		state, err := h.Bank.Control.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if state.Returned == amount {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// setAccount makes the books forget at which account a Pix arrived, as if it were the simulator's, or remember
// it again.
func setAccount(t *testing.T, h *bankstest.House, endToEndID string, accountID *string) {
	t.Helper()
	modelstest.Exec(t, h.DB, "ALTER TABLE payments DISABLE TRIGGER payments_final")
	modelstest.Exec(t, h.DB, "UPDATE payments SET bank_account_id = $2 WHERE end_to_end_id = $1", endToEndID, accountID)
	modelstest.Exec(t, h.DB, "ALTER TABLE payments ENABLE TRIGGER payments_final")
}

// tendNight does all that is due at an account.
func tendNight(t *testing.T, h *bankstest.House) {
	t.Helper()
	for range 4 {
		h.Tend(t)
	}
}

// today is the day in São Paulo, as the rows of days have it.
func today(h *bankstest.House) time.Time {
	return h.Bank.Clock.Now().UTC().Add(-3 * time.Hour).Truncate(24 * time.Hour)
}

// dayOf returns a day as it was compared last.
func dayOf(t *testing.T, h *bankstest.House, day time.Time) (found models.BankDay) {
	t.Helper()
	days, err := models.BankDays(t.Context(), h.DB.Pool, h.AccountID, 30)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		if d.Day.Equal(day) {
			return d
		}
	}
	t.Fatalf("%s was not compared", day.Format(time.DateOnly))
	return found
}

// differing returns the days that differ, as garoupa check has them.
func differing(t *testing.T, h *bankstest.House) []models.BankDay {
	t.Helper()
	days, err := models.DifferingBankDays(t.Context(), h.DB.Pool, 10)
	if err != nil {
		t.Fatal(err)
	}
	return days
}

// Each night the days before are read whole: what the sweeps missed is recorded, and both sides have the same.
// A day is compared on two nights.
func TestBankDay(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	untilNight(h)
	h.Later(4 * time.Hour)
	h.Tend(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	ids := h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	giveBack(t, h, ids[0], 30_00)
	missed := h.Charge(t, payments.NewCheckout{Amount: 7_00})
	h.Pay(t, control.PayRequest{Code: missed.CopyPaste, NoTxID: true})
	// As if both sweeps had gone by without it.
	modelstest.Exec(t, h.DB,
		"UPDATE bank_sweeps SET watermark = $1, swept_at = $2, swept_deep_at = $2, old_read_at = $2",
		h.Bank.Clock.Now().Add(24*time.Hour), h.Bank.Clock.Now().Add(48*time.Hour))
	day := today(h)
	untilNight(h)
	h.Tend(t)
	got := dayOf(t, h, day)
	want := models.BankDayCounts{BankPix: 2, BankPixSum: 107_00, BooksPix: 2, BooksPixSum: 107_00, BankReturns: 1,
		BankReturnsSum: 30_00, BooksReturns: 1, BooksReturnsSum: 30_00}
	if got.BankDayCounts != want || got.Differs || len(got.Differing) != 0 {
		t.Errorf("the day is %+v", got)
	}
	tendNight(t, h)
	if again := dayOf(t, h, day); !again.ComparedAt.Equal(*got.ComparedAt) {
		t.Errorf("it was compared again at %s", again.ComparedAt)
	}
	untilNight(h)
	tendNight(t, h)
	second := dayOf(t, h, day)
	if !second.ComparedAt.After(*got.ComparedAt) || second.BankDayCounts != want {
		t.Errorf("after the second night it is %+v", second)
	}
	untilNight(h)
	tendNight(t, h)
	if third := dayOf(t, h, day); !third.ComparedAt.Equal(*second.ComparedAt) {
		t.Errorf("in the third night it was compared again, at %s", third.ComparedAt)
	}
	const early = "SELECT count(*) FROM bank_days d JOIN bank_sweeps s USING (bank_account_id) " +
		"WHERE d.day < (s.started_at AT TIME ZONE 'America/Sao_Paulo')::date"
	if n := modelstest.One[int](t, h.DB, early); n != 0 || len(differing(t, h)) != 0 {
		t.Errorf("%d days are before the account, and %d differ", n, len(differing(t, h)))
	}
}

// A Pix that one side lacks, or has with another amount, makes its day differ and is named, and the day is
// compared each night until it is mended.
func TestBankDay_Differs(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	untilNight(h)
	h.Later(4 * time.Hour)
	h.Tend(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	paid := h.Pay(t, control.PayRequest{Code: c.CopyPaste})[0]
	h.Sweep(t)
	day := today(h)
	const invented = "E99999999202611250000000000000ab"
	if _, err := h.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{{EndToEndID: invented, Amount: 5_00,
		PaidAt: h.Bank.Clock.Now()}}); err != nil {
		t.Fatal(err)
	}
	setAccount(t, h, paid, nil)
	untilNight(h)
	tendNight(t, h)
	got := dayOf(t, h, day)
	want := []models.DifferingPix{{EndToEndID: paid, Bank: 100_00}, {EndToEndID: invented, Books: 5_00}}
	if !got.Differs || len(got.Differing) != 2 || got.Differing[0] != want[0] || got.Differing[1] != want[1] {
		t.Errorf("the day is %+v", got)
	}
	if days := differing(t, h); len(days) != 1 || days[0].Difference() != got.Difference() {
		t.Errorf("check finds %+v", days)
	}
	for range 4 { // long after the two nights
		untilNight(h)
		tendNight(t, h)
	}
	if days := differing(t, h); len(days) != 1 || days[0].ComparedAt.Before(h.Bank.Clock.Now().Add(-time.Hour)) {
		t.Errorf("later check finds %+v", days)
	}
	setAccount(t, h, paid, &h.AccountID)
	setAccount(t, h, invented, nil)
	untilNight(h)
	tendNight(t, h)
	if days := differing(t, h); len(days) != 0 {
		t.Errorf("mended, check finds %+v", days)
	}
}

// A return that the bank made of an exception's money is booked, and counts on both sides.
func TestBankDay_Returned(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	untilNight(h)
	h.Later(4 * time.Hour)
	h.Tend(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	paid := h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 60_00})[0]
	h.Sweep(t)
	giveBack(t, h, paid, 60_00)
	day := today(h)
	untilNight(h)
	tendNight(t, h)
	want := models.BankDayCounts{BankPix: 1, BankPixSum: 60_00, BooksPix: 1, BooksPixSum: 60_00, BankReturns: 1,
		BankReturnsSum: 60_00, BooksReturns: 1, BooksReturnsSum: 60_00}
	if got := dayOf(t, h, day); got.Differs || got.BankDayCounts != want {
		t.Errorf("the day is %+v", got)
	}
}

// A Pix of the bank's list that cannot be read makes its day differ; the others are compared.
func TestBankDay_Unread(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	untilNight(h)
	h.Later(4 * time.Hour)
	h.Tend(t)
	h.Pay(t, control.PayRequest{Code: h.Charge(t, payments.NewCheckout{Amount: 10_00}).CopyPaste})
	day := today(h)
	untilNight(h)
	h.Service.Banks = garbled{h.Banks}
	if err := h.TendBank(t.Context(), h.AccountID); !errors.Is(err, psp.ErrUnread) {
		t.Errorf("tending ends with %v", err)
	}
	if got := dayOf(t, h, day); !got.Differs || got.BooksPix != 1 || len(got.Differing) != 1 ||
		!strings.Contains(got.Difference(), "; one that cannot be read") {
		t.Errorf("the day is %+v", got)
	}
	h.Service.Banks = h.Banks
	untilNight(h)
	tendNight(t, h)
	if got := dayOf(t, h, day); got.Differs || got.BooksPix != 1 {
		t.Errorf("later the day is %+v", got)
	}
}

// While the bank does not answer, the day waits; what was compared of it is kept. A process that ends leaves the
// rest to another one.
func TestBankDay_Interrupted(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	untilNight(h)
	h.Later(4 * time.Hour)
	h.Tend(t)
	for range 3 {
		h.Pay(t, control.PayRequest{Code: h.Charge(t, payments.NewCheckout{Amount: 10_00}).CopyPaste})
	}
	h.Sweep(t)
	day := today(h)
	untilNight(h)
	h.Fault(t, control.Fault{Name: "reset"})
	if err := h.TendBank(t.Context(), h.AccountID); err == nil {
		t.Error("the bank answers")
	}
	const compared = "SELECT count(*) FROM bank_days WHERE day = $1 AND compared_at IS NOT NULL"
	if n := modelstest.One[int](t, h.DB, compared, day); n != 0 {
		t.Errorf("%d days were compared", n)
	}
	h.Heal(t)
	h.Later(10 * time.Minute)
	other := h.Another(t)
	other.Tend(t)
	if n := modelstest.One[int](t, h.DB, compared, day); n != 0 {
		t.Errorf("%d days were compared before it was time", n)
	}
	h.Later(6 * time.Minute)
	other.Tend(t)
	if got := dayOf(t, h, day); got.BankPix != 3 || got.BooksPix != 3 || got.Differs {
		t.Errorf("the day is %+v", got)
	}
}
