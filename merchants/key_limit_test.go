package merchants_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// Of calls at once, by two processes, as many make a key as there is room for. Revoked and ended keys and those of the
// other environment take none, and a key that replaces another at once needs none.
func TestCreateKey_Limit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	elsewhere := merchants.New(g.Merchants.Options)
	insertKeys(t, g, merchants.MaxKeys-1+2)
	make := func(m *merchants.Service, scope models.Scope) (*models.APIKey, error) {
		key, _, err := m.CreateKey(t.Context(), g.Owner, scope, merchants.NewKey{Name: "Loja",
			Permissions: []models.Permission{models.PermissionCheckoutRead}})
		return key, err
	}
	full := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, merchants.ErrManyKeys) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var wait sync.WaitGroup
	keys, results := [6]*models.APIKey{}, [6]error{}
	for n := range results {
		wait.Go(func() {
			keys[n], results[n] = make([]*merchants.Service{g.Merchants, elsewhere}[n%2], g.Test)
		})
	}
	wait.Wait()
	var last *models.APIKey
	for n, err := range results {
		if err != nil {
			full(fmt.Sprint("call ", n), err)
		} else if last != nil {
			t.Error("two calls made a key, and there was room for one")
		} else {
			last = keys[n]
		}
	}
	if last == nil {
		t.Fatal("no call made a key")
	}
	if _, err := make(g.Merchants, g.Live); err != nil {
		t.Errorf("in the other environment: %v", err)
	}
	_, _, err := g.Merchants.RollKey(t.Context(), g.Owner, g.Test, last.ID, merchants.KeyRoll{Overlap: time.Hour})
	full("beside the key that is replaced", err)
	rolled, _, err := g.Merchants.RollKey(t.Context(), g.Owner, g.Test, last.ID, merchants.KeyRoll{})
	if err != nil {
		t.Fatalf("in the place of a key: %v", err)
	}
	_, err = make(g.Merchants, g.Test)
	full("one more", err)
	if err := g.Merchants.RevokeKey(t.Context(), g.Owner, g.Test, rolled.ID); err != nil {
		t.Fatal(err)
	}
	if _, err = make(g.Merchants, g.Test); err != nil {
		t.Errorf("after revoking one: %v", err)
	}
	g.Clock.Advance(2 * time.Hour)
	if _, err = make(g.Merchants, g.Test); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// insertKeys writes keys of which the first is revoked, the second has ended, and the third ends in an hour.
func insertKeys(t *testing.T, g *paymentstest.Gateway, n int) {
	t.Helper()
	modelstest.Exec(t, g.DB, `INSERT INTO api_keys (id, project_id, livemode, name, secret_hash, last4, permissions,
			created_at, revoked_at, ends_at)
		SELECT 'key_' || lpad(n::text, 20, '0'), $1, false, 'k', sha256(n::text::bytea), '0000', '{CHECKOUT:READ}', $2,
			CASE WHEN n = 1 THEN $2::timestamptz END,
			$2 + CASE WHEN n = 2 THEN interval '0' WHEN n = 3 THEN interval '1 hour' END
		FROM generate_series(1, $3) n`, g.Test.ProjectID, g.Clock.Now(), n)
}

// A call waits while another member's makes the last key, and is then refused.
func TestCreateKey_LimitHeld(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	insertKeys(t, g, merchants.MaxKeys-1+2)
	done := make(chan error, 1)
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if err := models.LockProject(tx, g.Test.ProjectID); err != nil {
			return err
		}
		go func() {
			_, _, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Test, merchants.NewKey{Name: "Loja",
				Permissions: []models.Permission{models.PermissionCheckoutRead}})
			done <- err
		}()
		awaitLock(t, g)
		return models.InsertAPIKey(tx, &models.APIKey{ID: models.NewAPIKeyID(), ProjectID: g.Test.ProjectID,
			Environment: models.Test, Name: "Loja", SecretHash: make([]byte, 32), Last4: "0000",
			Permissions: []models.Permission{models.PermissionCheckoutRead}, CreatedAt: g.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, merchants.ErrManyKeys) {
		t.Errorf("one more than there is room for: %v", err)
	}
}
