package payments_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// shop is a live gateway whose owner can get mails about paid charges.
type shop struct {
	*paymentstest.Gateway
	t *testing.T
}

func newShop(t *testing.T) *shop {
	t.Helper()
	g := paymentstest.New(t)
	g.GoLive(t)
	s := &shop{g, t}
	s.told() // deletes the mails of the sign-up
	return s
}

// wants turns the notice of paid charges on or off, and no other one.
func (s *shop) wants(on bool) {
	s.t.Helper()
	wanted := slices.DeleteFunc(slices.Clone(models.Notices),
		func(n models.Notice) bool { return n == models.NoticeChargePaid && !on })
	if err := s.Merchants.SetNotices(s.t.Context(), s.Owner, wanted); err != nil {
		s.t.Fatal(err)
	}
}

// sells creates a charge, pays it and returns it.
func (s *shop) sells(scope models.Scope, amount money.Cents) *models.Checkout {
	s.t.Helper()
	c, _, err := s.CreateCheckout(s.t.Context(), scope, s.Account, paymentstest.Filled(payments.NewCheckout{
		Amount: amount, Customer: payments.Customer{Name: new("Bia Buyer"), Email: new("bia@buyer.example"),
			Document: new("52998224725")},
	}))
	if err == nil {
		err = s.ConfirmPayment(s.t.Context(), scope.Environment, simulator.Pay(c.TxID, int64(amount), s.Clock.Now()))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *shop) tells() {
	s.t.Helper()
	if err := s.TellPaid(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// told returns the mails about paid charges since the last call, each as its fact and amount
// or, for a summary of an hour, as count and amount. It deletes all mails.
func (s *shop) told() (facts []string) {
	s.t.Helper()
	mails, err := models.LatestMails(s.t.Context(), s.DB.Pool, 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range mails {
		switch m.Kind {
		case models.MailChargePaid:
			facts = append(facts, m.Fact+" "+m.Params["amount"]+" "+m.To)
		case models.MailChargesPaid:
			facts = append(facts, m.Params["count"]+" of "+m.Params["amount"]+" "+m.To)
		}
	}
	modelstest.Exec(s.t, s.DB, "DELETE FROM mails")
	slices.Sort(facts)
	return facts
}

// hears runs TellPaid and checks the mails about paid charges.
func (s *shop) hears(what string, facts ...string) {
	s.t.Helper()
	s.tells()
	slices.Sort(facts)
	if got := s.told(); !slices.Equal(got, facts) {
		s.t.Errorf("%s: mails %q, want %q", what, got, facts)
	}
}

func of(c *models.Checkout, to string) string {
	return fmt.Sprintf("charge_paid/%s %d %s", c.ID, c.Amount, to)
}

// A member gets one mail about each live charge that is paid while the notice is on.
func TestTellPaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.sells(s.Live, 10_00)
	s.hears("before the notice is on")
	s.wants(true)
	s.hears("charges from before")
	s.sells(s.Test, 10_00)
	s.hears("a test charge")
	first := s.sells(s.Live, 249_90)
	s.hears("the first charge", of(first, s.Email))
	s.wants(true)
	s.hears("a second run")

	off := s.sells(s.Live, 1_00)
	s.wants(false)
	s.hears("turned off")
	s.wants(true)
	s.hears("turned on again after " + off.ID)
	on := s.sells(s.Live, 1_00)
	// Other notices are turned off. This one stays on and continues where it was.
	if err := s.Merchants.SetNotices(t.Context(), s.Owner, []models.Notice{models.NoticeChargePaid}); err != nil {
		t.Fatal(err)
	}
	s.hears("turned on again", of(on, s.Email))
}

// The mail contains the paid amount and nothing about the buyer. After old mails are deleted,
// their charges are not reported again.
func TestTellPaid_Mail(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	c := s.sells(s.Live, 249_90)
	s.tells()
	m, err := models.LatestMails(t.Context(), s.DB.Pool, 1)
	if err != nil || len(m) != 1 {
		t.Fatalf("mails %+v, %v", m, err)
	}
	want := map[string]string{
		"amount": "24990", "description": c.Description, "order": c.ExternalID, "charge": c.ID,
		"at": s.Clock.Now().Format(time.RFC3339),
	}
	for name, value := range want {
		if m[0].Params[name] != value {
			t.Errorf("%s is %q, want %q", name, m[0].Params[name], value)
		}
	}
	for _, value := range m[0].Params {
		if strings.Contains(strings.ToLower(value), "buyer") || strings.Contains(value, "529982") {
			t.Errorf("the mail contains data of the buyer: %q", value)
		}
	}
	if _, err := models.DeleteMails(t.Context(), s.DB.Pool, s.Clock.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.hears("after the mails were deleted")
}

// Money that paid nothing, its settlement, and refunds are not reported.
func TestTellPaid_OtherMoney(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	first := s.sells(s.Live, 249_90)
	s.hears("the first charge", of(first, s.Email))
	late, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account,
		paymentstest.Filled(payments.NewCheckout{ExpiresIn: time.Minute}))
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(2 * time.Minute)
	if _, err := s.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	pay := simulator.Pay(late.TxID, int64(late.Amount), s.Clock.Now())
	if err := errors.Join(s.ConfirmPayment(t.Context(), models.Live, pay),
		s.ConfirmPayment(t.Context(), models.Live, pay)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	by := s.Staff(t)
	var exception, payment string
	exception = modelstest.One[string](t, s.DB, "SELECT payment_id FROM payment_exceptions")
	payment = modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE checkout_id = $1", first.ID)
	if _, err := s.AcceptException(t.Context(), by, exception, "O comprador confirmou."); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RefundPayment(t.Context(), by, payments.NewRefund{
		PaymentID: payment, Amount: 10_00, Reason: "O comprador desistiu.",
	}); err != nil {
		t.Fatal(err)
	}
	s.hears("other money")
}

// Each member turns the notice on or off separately for each account, with any role. A member
// who leaves gets no more mails, and starts with the notice off after coming back.
func TestTellPaid_Members(t *testing.T) {
	t.Parallel()
	y := newTreasury(t)
	s := &shop{y.Gateway, t}
	for i, role := range []models.Role{models.RoleAdmin, models.RoleFinance, models.RoleDeveloper, models.RoleViewer} {
		by := s.Owner
		by.UserID = fmt.Sprintf("usr_%020d", i)
		if err := s.Merchants.SetNotices(t.Context(), by, []models.Notice{models.NoticeChargePaid}); err != nil {
			t.Fatalf("%s: %v", role, err)
		}
	}
	c := s.sells(s.Live, 5_00)
	s.hears("all subscribers", of(c, "admin@example.com"), of(c, "developer@example.com"), of(c, "finance@example.com"),
		of(c, "viewer@example.com"))

	leave := func(id string) {
		t.Helper()
		if err := s.DB.InTx(t.Context(),
			func(tx *models.Tx) error { return models.DeleteMember(tx, s.Account.ID, id) }); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		leave(fmt.Sprintf("usr_%020d", i))
	}
	c = s.sells(s.Live, 5_00)
	s.hears("the members who stayed", of(c, "viewer@example.com"))
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMember(tx, &models.Member{AccountID: s.Account.ID, UserID: "usr_00000000000000000000",
			Role: models.RoleAdmin, CreatedAt: s.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	c = s.sells(s.Live, 5_00)
	s.hears("a member who came back", of(c, "viewer@example.com"))
}

// In a busy hour charges are reported one by one up to a limit, and the whole hour is summed
// up in one mail at its end.
func TestTellPaid_Bound(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	var alone []string
	for i := range models.PaidMailsAnHour + 3 {
		c := s.sells(s.Live, 2_00)
		if i < models.PaidMailsAnHour {
			alone = append(alone, of(c, s.Email))
		}
		if i == 5 { // so that some are reported together and some not
			s.tells()
		}
	}
	s.hears("the first of the hour", alone...)
	s.Clock.Advance(59*time.Minute + 59*time.Second)
	s.hears("before the hour is over")
	s.Clock.Advance(time.Second)
	s.hears("the hour", "23 of 4600 "+s.Email)
	s.hears("the hour again")

	// The next hour is independent, even if no run happens at its end.
	alone = nil
	for range models.PaidMailsAnHour {
		alone = append(alone, of(s.sells(s.Live, 3_00), s.Email))
	}
	s.sells(s.Live, 3_00)
	s.Clock.Advance(time.Hour)
	c := s.sells(s.Live, 7_00)
	s.hears("two hours at once", append(alone, "21 of 6300 "+s.Email, of(c, s.Email))...)
	s.Clock.Advance(time.Hour)
	s.hears("an hour below the limit")
	alone = nil
	for range models.PaidMailsAnHour {
		alone = append(alone, of(s.sells(s.Live, 3_00), s.Email))
	}
	s.Clock.Advance(time.Hour)
	s.hears("an hour at the limit", append(alone, of(s.sells(s.Live, 3_00), s.Email))...)
}

// A crash between the mails and the stored progress leaves neither, and instances that run at
// the same time report each charge once.
func TestTellPaid_Once(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	want := []string{of(s.sells(s.Live, 1_00), s.Email)}
	for _, sql := range []string{
		"CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'crash'; END $$",
		"CREATE TRIGGER crash BEFORE UPDATE ON paid_notices FOR EACH ROW EXECUTE FUNCTION crash()",
	} {
		modelstest.Exec(t, s.DB, sql)
	}
	if err := s.TellPaid(t.Context()); err == nil {
		t.Fatal("TellPaid did not crash")
	}
	if got := s.told(); len(got) != 0 {
		t.Errorf("after a crash the mails are %q", got)
	}
	modelstest.Exec(t, s.DB, "DROP TRIGGER crash ON paid_notices")

	var telling errgroup.Group
	other := payments.New(s.Options)
	done := make(chan struct{})
	for _, instance := range []*payments.Service{s.Service, other, s.Service, other} {
		telling.Go(func() error {
			for {
				if err := instance.TellPaid(t.Context()); err != nil {
					return err
				}
				select {
				case <-done:
					return nil
				default:
				}
			}
		})
	}
	for range 12 {
		want = append(want, of(s.sells(s.Live, 1_00), s.Email))
	}
	close(done)
	if err := telling.Wait(); err != nil {
		t.Fatal(err)
	}
	s.hears("all instances together", want...)
}

// A payment that is committed after a later one is reported as well.
func TestTellPaid_CommitOrder(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	slow, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS " +
			"$$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$",
		"CREATE TRIGGER wait BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = 'checkout.paid' AND " +
			"NEW.checkout_id = '" + slow.ID + "') EXECUTE FUNCTION wait()",
	} {
		modelstest.Exec(t, s.DB, sql)
	}
	hold, err := s.DB.Pool.Acquire(t.Context()) // without a transaction, which the server would end when idle
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Release()
	if _, err := hold.Exec(t.Context(), "SELECT pg_advisory_lock(1)"); err != nil {
		t.Fatal(err)
	}
	confirmed := make(chan error, 1)
	go func() {
		confirmed <- s.ConfirmPayment(t.Context(), models.Live,
			simulator.Pay(slow.TxID, int64(slow.Amount), s.Clock.Now()))
	}()
	for waiting := false; !waiting; { // then it has a position in the ledger
		if err := s.DB.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks
			WHERE locktype = 'advisory' AND NOT granted AND
			database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	quick := s.sells(s.Live, 1_00)
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_ = s.TellPaid(soon) // it may give up, but must not skip the slow payment
	_, err = hold.Exec(t.Context(), "SELECT pg_advisory_unlock(1)")
	if err := errors.Join(err, <-confirmed); err != nil {
		t.Fatal(err)
	}
	s.hears("both", of(slow, s.Email), of(quick, s.Email))
}
