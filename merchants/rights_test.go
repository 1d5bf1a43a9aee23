package merchants_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// givable lists the permissions that each role may give to a key: developers may not give
// those about money, and roles that are not listed create no keys.
var givable = map[models.Role][]models.Permission{
	models.RoleOwner: models.Permissions, models.RoleAdmin: models.Permissions,
	models.RoleDeveloper: {"CHECKOUT:CREATE", "CHECKOUT:READ", "PAYMENT_LINK:CREATE", "PAYMENT_LINK:READ"},
	models.RoleFinance:   nil, models.RoleViewer: nil, "": nil,
}

func TestCreateKey_Rights(t *testing.T) {
	t.Parallel()
	for role, may := range givable {
		t.Run("role "+string(role), func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			g.GiveRole(t, role)
			if diff := cmp.Diff(may, role.KeyRights()); diff != "" {
				t.Errorf("KeyRights (-want +got)\n%s", diff)
			}
			for _, scope := range []models.Scope{g.Test, g.Live} {
				for _, p := range models.Permissions {
					_, secret, err := g.Merchants.CreateKey(t.Context(), g.Owner, scope, merchants.NewKey{
						Name: "x", Permissions: []models.Permission{p},
					})
					switch {
					case len(may) == 0 && !forbidden(err),
						len(may) > 0 && slices.Contains(may, p) != (err == nil), (secret == "") != (err != nil):
						t.Errorf("%s, %s: %q, %v", p, scope.Environment, secret, err)
					}
				}
			}
			more := merchants.NewKey{Name: "x", Permissions: append(slices.Clone(may), "WITHDRAWAL:CREATE")}
			_, _, err := g.Merchants.CreateKey(t.Context(), g.Owner, g.Live, more)
			if problems, ok := errors.AsType[merchants.Invalid](err); role == models.RoleDeveloper &&
				(!ok || problems["permissions"] != merchants.Denied) {
				t.Errorf("CreateKey with one permission too many: %v", err)
			}
		})
	}
}

// A new form preselects the permissions of CheckoutIntegration that the role may give.
func TestDefaultPermissions(t *testing.T) {
	t.Parallel()
	for role, may := range givable {
		for _, p := range merchants.DefaultPermissions(role) {
			if !slices.Contains(may, p) || !slices.Contains(merchants.CheckoutIntegration, p) {
				t.Errorf("%s ticks %s", role, p)
			}
		}
	}
	if diff := cmp.Diff(merchants.CheckoutIntegration, merchants.DefaultPermissions(models.RoleOwner)); diff != "" {
		t.Errorf("the owner's defaults (-want +got)\n%s", diff)
	}
	if n := len(merchants.DefaultPermissions(models.RoleDeveloper)); n != 4 {
		t.Errorf("a developer has %d defaults", n)
	}
}

// awaitLock returns when a statement of the test's database waits for a lock.
func awaitLock(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		var waiting int
		err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no statement waits for a lock")
		}
	}
}

// Events of withdrawals reveal money: a member whose role may not see money can neither
// subscribe to them nor change the URL to which they go. Other changes by that member do not
// remove them.
func TestEndpoint_Rights(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	plain := merchants.NewEndpoint{URL: "https://loja.example/plain", Types: []string{"checkout.paid"}}
	money := merchants.NewEndpoint{
		URL: "https://loja.example/money", Types: []string{"checkout.paid", "withdrawal.completed"},
	}
	owned, _, err := m.CreateEndpoint(t.Context(), g.Owner, g.Live, money)
	if err != nil {
		t.Fatal(err)
	}
	g.GiveRole(t, models.RoleDeveloper)
	denied := func(err error) bool {
		problems, ok := errors.AsType[merchants.Invalid](err)
		return ok && problems["types"] == merchants.Denied
	}
	if _, _, err := m.CreateEndpoint(t.Context(), g.Owner, g.Live, money); !denied(err) {
		t.Errorf("made: %v", err)
	}
	own, _, err := m.CreateEndpoint(t.Context(), g.Owner, g.Live, plain)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.UpdateEndpoint(t.Context(), g.Owner, g.Live, own.ID, merchants.NewEndpoint{
		URL: plain.URL, Types: money.Types,
	}); !denied(err) {
		t.Errorf("added: %v", err)
	}
	if err := m.UpdateEndpoint(t.Context(), g.Owner, g.Live, owned.ID, merchants.NewEndpoint{
		URL: "https://elsewhere.example/", Types: money.Types,
	}); !denied(err) {
		t.Errorf("changing the URL: %v", err)
	}
	money.Description = "ERP"
	if err := m.UpdateEndpoint(t.Context(), g.Owner, g.Live, owned.ID, money); err != nil {
		t.Errorf("described: %v", err)
	}
	if err := m.UpdateEndpoint(t.Context(), g.Owner, g.Live, owned.ID, merchants.NewEndpoint{
		URL: "https://elsewhere.example/", Types: plain.Types,
	}); err != nil {
		t.Errorf("changing the URL without these events: %v", err)
	}
}

// A project has at most UsualEndpoints in an environment, however many are created at once.
// Deleted endpoints and those of the other environment do not count.
func TestCreateEndpoint_Limit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	elsewhere := another(g)
	make := func(m *merchants.Service, scope models.Scope, n int) error {
		_, _, err := m.CreateEndpoint(t.Context(), g.Owner, scope, merchants.NewEndpoint{
			URL: fmt.Sprintf("https://loja.example/%d", n), Types: []string{"checkout.paid"},
		})
		return err
	}
	for n := range models.UsualEndpoints - 1 {
		if err := make(g.Merchants, g.Test, n); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	results := [6]error{}
	for n := range results {
		wait.Go(func() { results[n] = make([]*merchants.Service{g.Merchants, elsewhere}[n%2], g.Test, n) })
	}
	wait.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if !errors.Is(err, merchants.ErrManyEndpoints) {
			t.Errorf("CreateEndpoint failed with %v", err)
		}
	}
	all, err := models.Endpoints(t.Context(), g.DB.Pool, g.Test, nil, 100)
	if err != nil || won != 1 || len(all) != models.UsualEndpoints {
		t.Fatalf("%d of %d concurrent calls succeeded; there are %d endpoints, %v", won, len(results), len(all), err)
	}
	if err := make(g.Merchants, g.Live, 0); err != nil {
		t.Errorf("in the other environment: %v", err)
	}
	if err := g.Merchants.DeleteEndpoint(t.Context(), g.Owner, g.Test, all[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := make(g.Merchants, g.Test, 0); err != nil {
		t.Errorf("after deleting one: %v", err)
	}
	if err := make(g.Merchants, g.Test, 0); !errors.Is(err, merchants.ErrManyEndpoints) ||
		!strings.Contains(err.Error(), "as many endpoints") {
		t.Errorf("one more than allowed: %v", err)
	}
	more := int64(models.UsualEndpoints + 1)
	g.SetLimits(t, models.Limits{WebhookEndpoints: &more})
	if err := make(g.Merchants, g.Test, 0); err != nil {
		t.Errorf("one more, which staff allowed: %v", err)
	}
	if err := make(g.Merchants, g.Test, 0); !errors.Is(err, merchants.ErrManyEndpoints) {
		t.Errorf("one more than staff allowed: %v", err)
	}
}

// A call waits while another process creates the last endpoint, and is then refused.
func TestCreateEndpoint_LimitHeld(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var last models.Endpoint
	for range models.UsualEndpoints - 1 {
		e, _ := g.Endpoint(t, "https://loja.example/hook")
		last = *e
	}
	last.ID = models.NewEndpointID()
	done := make(chan error, 1)
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if err := models.LockProject(tx, g.Test.ProjectID); err != nil {
			return err
		}
		go func() {
			_, _, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, g.Test,
				merchants.NewEndpoint{URL: last.URL, Types: last.Types})
			done <- err
		}()
		awaitLock(t, g)
		return models.InsertEndpoint(tx, &last)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, merchants.ErrManyEndpoints) {
		t.Errorf("creating the seventeenth: %v", err)
	}
}
