package merchants_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// A supervisor sets limits from a moment on. The owner gets a mail, and the audit log has the
// old and the new limits.
func TestSetLimits(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	rui, eva := newStaff(t, g, "rui@staff.example", models.StaffSupervisor),
		newStaff(t, g, "eva@staff.example", models.StaffReviewer)
	most, delay := money.Cents(5_000_000_00), int64(7200)
	in := merchants.NewLimits{
		Limits: models.Limits{MaxAmount: &most, SettlementDelay: &delay}, Reason: feeReason,
		Told: merchants.ToldLimits{MinAmount: 1, MaxAmount: most, SettlementDelay: 2 * time.Hour,
			DestinationHold: 24 * time.Hour},
	}
	for _, by := range []models.Actor{eva, g.Owner, {}} {
		if err := g.Merchants.SetLimits(t.Context(), by, g.Account.ID, in); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("SetLimits by %s: %v", by.UserID, err)
		}
	}
	if err := g.Merchants.SetLimits(t.Context(), rui, g.Account.ID, in); err != nil {
		t.Fatal(err)
	}
	account, err := models.AccountByID(t.Context(), g.DB, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in.Limits, account.Limits.At(g.Clock.Now())); diff != "" {
		t.Errorf("limits (-want +got)\n%s", diff)
	}
	mails, err := models.LatestMails(t.Context(), g.DB.Pool, 1)
	if err != nil || mails[0].Kind != models.MailLimitsChanged || mails[0].To != g.Email ||
		mails[0].Params["max_amount"] != "500000000" || mails[0].Params["settlement_delay"] != "7200" {
		t.Errorf("mailed %+v, %v", mails, err)
	}
	lines, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Subject: "limits", Limit: 2})
	if err != nil || len(lines) != 1 || lines[0].After["maxAmount"] != "5000000.00" ||
		lines[0].After["settlementDelay"] != "2h0m0s" || lines[0].Before["maxAmount"] != "" {
		t.Errorf("logged %+v, %v", lines, err)
	}
	if err := g.Merchants.SetLimits(t.Context(), rui, g.Account.ID, in); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("SetLimits with the same form again: %v", err)
	}
}

// Invalid limits are reported field by field, and nothing is written.
func TestSetLimits_Wrong(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	rui := newStaff(t, g, "rui@staff.example", models.StaffSupervisor)
	amount := func(c money.Cents) *money.Cents { return &c }
	seconds := func(n int64) *int64 { return &n }
	past := g.Clock.Now()
	for field, in := range map[string]merchants.NewLimits{
		"min":       {Limits: models.Limits{MinAmount: amount(0)}},
		"max":       {Limits: models.Limits{MaxAmount: amount(money.Max + 1)}},
		"delay":     {Limits: models.Limits{SettlementDelay: seconds(-1)}},
		"hold":      {Limits: models.Limits{DestinationHold: seconds(91 * 24 * 3600)}},
		"endpoints": {Limits: models.Limits{WebhookEndpoints: seconds(65)}},
		"starts":    {StartsAt: &past},
		"reason":    {Reason: "curto"},
	} {
		if in.Reason == "" {
			in.Reason = feeReason
		}
		err := g.Merchants.SetLimits(t.Context(), rui, g.Account.ID, in)
		if problems, is := errors.AsType[merchants.Invalid](err); !is || len(problems) != 1 || problems[field] == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	crossed := merchants.NewLimits{Reason: feeReason, Told: merchants.ToldLimits{MinAmount: 2, MaxAmount: 1}}
	if problems, is := errors.AsType[merchants.Invalid](g.Merchants.SetLimits(t.Context(), rui, g.Account.ID,
		crossed)); !is || problems["max"] != merchants.TooShort {
		t.Errorf("crossed: %v", problems)
	}
	if account, err := models.AccountByID(t.Context(), g.DB, g.Account.ID); err != nil || len(account.Limits) != 0 {
		t.Errorf("the limits are %+v, %v", account.Limits, err)
	}
}
