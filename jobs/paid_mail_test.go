package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"garoupa/internal/mail/mailtest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// gatewayOfTwo returns a gateway whose owner and a second member, bia@example.com, get a mail
// about each paid charge, and the fact of the mails about one.
func gatewayOfTwo(t *testing.T) (g *gateway, fact string) {
	t.Helper()
	g = newGateway(t, quick...)
	g.Approve(t)
	g.payments.Live = g.Simulator
	bia := g.Owner
	bia.UserID = "usr_00000000000000000001"
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		user := &models.User{ID: bia.UserID, Email: "bia@example.com", Name: "Bia", PasswordHash: new("x"),
			Language: "en", CreatedAt: time.Now()}
		if err := models.InsertUser(tx, user); err != nil {
			return err
		}
		return models.InsertMember(tx, &models.Member{AccountID: g.Account.ID, UserID: user.ID, Role: models.RoleViewer,
			CreatedAt: time.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []models.Actor{g.Owner, bia} {
		if err := g.Merchants.SetNotices(t.Context(), by, []models.Notice{models.NoticeChargePaid}); err != nil {
			t.Fatal(err)
		}
	}
	c, _, err := g.payments.CreateCheckout(t.Context(), g.Live, g.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 249_90}))
	if err == nil {
		err = g.payments.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, 249_90, time.Now()))
	}
	if err != nil {
		t.Fatal(err)
	}
	return g, "charge_paid/" + c.ID
}

// written returns the number of mails about a fact.
func (g *gateway) written(t *testing.T, fact string) (n int) {
	t.Helper()
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM mails WHERE fact = $1", fact).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Members get mails about paid charges. A member who turned the notice off while the mail
// waited does not get it. If a process dies after the SMTP server accepted a mail, the mail
// is sent again with the same Message-ID.
func TestPaidMails(t *testing.T) {
	t.Parallel()
	g, fact := gatewayOfTwo(t)
	writing := g.start(t)
	eventually(t, "a mail for each member", func() bool { return g.written(t, fact) == 2 })
	if err := writing.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}

	if err := g.Merchants.SetNotices(t.Context(), g.Owner, nil); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DELETE FROM mails WHERE fact <> '" + fact + "'",
		"CREATE SEQUENCE crashes",
		`CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('crashes') = 1 THEN RAISE EXCEPTION 'crash'; END IF; RETURN NEW; END $$`,
		"CREATE TRIGGER crash BEFORE UPDATE ON mails FOR EACH ROW EXECUTE FUNCTION crash()",
	} {
		modelstest.Exec(t, g.DB, sql)
	}
	server := mailtest.New(t, mailtest.Options{})
	g.startMailing(t, server)
	first, again := server.Next(t), server.Next(t)
	if first.To != "bia@example.com" || !strings.HasPrefix(first.Subject, "Charge of ") ||
		again.Header.Get("Message-ID") != first.Header.Get("Message-ID") {
		t.Errorf("sent %q to %s as %s, then %q to %s as %s", first.Subject, first.To, first.Header.Get("Message-ID"),
			again.Subject, again.To, again.Header.Get("Message-ID"))
	}
	g.settled(t)
	server.None(t)
	if m := g.mail(t, fact); g.written(t, fact) != 1 || m.SentAt == nil || len(m.Params) != 0 {
		t.Errorf("%d mails are left, one of them is %+v", g.written(t, fact), m)
	}
}
