package models_test

import (
	"regexp"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/pix"
)

// aCharge is the step of a plan that reads the charges at banks.
var aCharge = regexp.MustCompile(`Scan(?: using (\w+))? on (?:bank_charges|(bank_charges\w+))`)

// The statements that begin and open charges at banks are planned once for a connection, when the table may
// be empty, and find each charge by its TxID, not by reading all charges that are open.
func TestBankCharge_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	q := &explained{Querier: g.DB.Batches}
	id := models.NewCheckoutID()
	now := time.Now()
	if _, err := models.NewBankChargeWriter(q, time.Minute).Write(t.Context(), &models.NewBankCharge{
		TxID: pix.ChargeTxID(id), ProjectID: g.Live.ProjectID, CheckoutID: id, Amount: 1, Expiration: 60,
		CreatedAt: now,
	}); err != nil {
		t.Fatal(err)
	}
	byTxID(t, "begin", q.plan)
	if _, _, err := models.NewCheckoutWriter(q).Write(t.Context(), &models.NewCheckout{
		Checkout: models.Checkout{ID: id, ProjectID: g.Live.ProjectID, Environment: models.Live, Amount: 1,
			Description: "x", ExternalID: "x", Metadata: []byte("{}"), TxID: pix.ChargeTxID(id), CopyPaste: "code",
			CreatedAt: now, ExpiresAt: now.Add(time.Hour)},
		Created: models.Event{ID: models.NewEventID(), Body: []byte("{}")},
		Opened:  &models.OpenedCharge{BankCreatedAt: now, PayableUntil: now.Add(time.Hour), FirstLookAt: now},
	}); err != nil {
		t.Fatal(err)
	}
	byTxID(t, "open", q.plan)
}

func byTxID(t *testing.T, what, plan string) {
	t.Helper()
	steps := aCharge.FindAllStringSubmatch(plan, -1)
	for _, step := range steps {
		if step[1] != "bank_charges_pkey" {
			t.Errorf("%s: %s", what, plan)
		}
	}
	if len(steps) == 0 {
		t.Errorf("%s reads no charge: %s", what, plan)
	}
}
