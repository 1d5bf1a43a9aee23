package payments_test

import (
	"context"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// While one instance writes mails for a member, other instances continue without waiting, and
// write none.
func TestTellPaid_Held(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	c := s.sells(s.Live, 1_00)
	hold, err := s.DB.Pool.Begin(t.Context())
	if err == nil {
		_, err = hold.Exec(t.Context(), "SELECT FROM paid_notices FOR UPDATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err = s.TellPaid(soon)
	if got := s.told(); err != nil || len(got) != 0 {
		t.Errorf("while another instance reports: %q, %v", got, err)
	}
	if err := hold.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.hears("afterwards", of(c, s.Email))
}

// All payments are counted, however many there are.
func TestTellPaid_Many(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.wants(true)
	var alone []string
	for range models.PaidMailsAnHour {
		alone = append(alone, of(s.sells(s.Live, 1_00), s.Email))
	}
	s.hears("one by one", alone...)
	modelstest.Exec(t, s.DB, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
		SELECT 'payment/pay_' || n, 0, 'platform/live/clearing', $1 || '/live/pending', 200, $2
		FROM generate_series(1, 1100) n`, s.Account.ID, s.Clock.Now())
	s.hears("beyond the limit")
	s.Clock.Advance(time.Hour)
	s.hears("the hour", "1120 of 222000 "+s.Email)
}

// A waiting mail is deleted if its recipient turns off that account's notice, whatever the
// recipient chose for other accounts. Mails of other kinds stay.
func TestDropUnwantedMail(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Bruno Reis", Business: "Café", Email: "bruno@example.com", Password: paymentstest.Password,
		Language: "en",
	}, "")
	if err == nil {
		err = s.DB.InTx(t.Context(), func(tx *models.Tx) error {
			return models.InsertMember(tx, &models.Member{AccountID: other.AccountID, UserID: s.Owner.UserID,
				Role: models.RoleViewer, CreatedAt: s.Clock.Now()})
		})
	}
	there := s.Owner
	there.AccountID = other.AccountID
	if err == nil {
		err = s.Merchants.SetNotices(t.Context(), there, []models.Notice{models.NoticeChargePaid})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.told()
	s.wants(true)
	s.sells(s.Live, 1_00)
	s.tells()
	mails, err := models.LatestMails(t.Context(), s.DB.Pool, 2)
	if err != nil || len(mails) != 1 {
		t.Fatalf("mails %+v, %v", mails, err)
	}
	drop := func(kind string) bool {
		t.Helper()
		m := mails[0]
		m.Kind = kind
		dropped, err := models.DropUnwantedMail(t.Context(), s.DB.Pool, &m)
		if err != nil {
			t.Fatal(err)
		}
		return dropped
	}
	if drop(models.MailChargePaid) {
		t.Error("a wanted mail was deleted")
	}
	s.wants(false)
	if drop(models.MailPasswordChanged) {
		t.Error("a mail of another kind was deleted")
	}
	if !drop(models.MailChargePaid) || len(s.told()) != 0 {
		t.Error("a mail is kept although its notice was turned off")
	}
}
