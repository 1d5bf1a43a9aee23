package models_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/pix"
)

// Checkouts that are written at the same time share commits, and an invalid one does not
// affect the others.
func TestCheckoutWriter(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	writer := models.NewCheckoutWriter(g.DB.Pool)
	const n = 200
	results := make([]struct {
		made bool
		err  error
	}, n)
	var group errgroup.Group
	for i := range n {
		group.Go(func() error {
			id := models.NewCheckoutID()
			row := &models.NewCheckout{
				Checkout: models.Checkout{
					ID: id, ProjectID: g.Test.ProjectID, Amount: 1, Description: "x", ExternalID: fmt.Sprint(i),
					Metadata: []byte("{}"),
					TxID:     pix.ChargeTxID(id), CopyPaste: "code", CreatedAt: time.Now(),
					ExpiresAt: time.Now().Add(time.Hour),
				},
				Created: models.Event{ID: models.NewEventID(), Body: []byte("{}")},
			}
			switch {
			case i%50 == 7:
				row.Amount = 0 // the table refuses it
			case i%10 == 3:
				row.IdempotencyKey, row.RequestHash = "shared", bytes.Repeat([]byte("h"), 32)
			}
			made, _, err := writer.Write(t.Context(), row)
			results[i].made, results[i].err = made, err
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	shared, alone := 0, 0
	for i, r := range results {
		wrong := i%50 == 7
		if wrong != (r.err != nil) {
			t.Errorf("checkout %d: %v", i, r.err)
		}
		switch {
		case wrong:
		case i%10 == 3 && r.made:
			shared++
		case r.made:
			alone++
		}
	}
	var rows, events int
	g.DB.Pool.QueryRow(t.Context(),
		`SELECT (SELECT count(*) FROM checkouts), (SELECT count(*) FROM events)`).Scan(&rows, &events)
	if want := n - n/10 - n/50; shared != 1 || alone != want || rows != want+1 || events != rows {
		t.Errorf("%d made with a key, %d without one, %d rows, %d events; want 1, %d, %d, %d", shared, alone, rows,
			events, want, want+1, want+1)
	}
}
