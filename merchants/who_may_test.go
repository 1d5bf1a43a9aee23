package merchants_test

import (
	"maps"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Operations on products, links, keys, endpoints, the team and the account check the rights of
// their actor themselves: they refuse a member in another role, a removed member, and a
// stranger.
func TestMemberActs_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	removed := join(t, g, "rui@example.com", models.RoleAdmin)
	viewer := join(t, g, "val@example.com", models.RoleViewer)
	others := map[models.Role]models.Actor{
		models.RoleViewer:    viewer,
		models.RoleFinance:   join(t, g, "fe@example.com", models.RoleFinance),
		models.RoleDeveloper: join(t, g, "de@example.com", models.RoleDeveloper),
	}
	if err := g.Merchants.RemoveMember(t.Context(), g.Owner, removed.UserID); err != nil {
		t.Fatal(err)
	}
	for name, act := range memberActs(t, g, viewer.UserID) {
		for who, by := range map[string]models.Actor{
			"a removed member": removed, "an unknown person": {AccountID: g.Account.ID},
			"a stranger": {UserID: "usr_ffffffffffffffffffff", AccountID: g.Account.ID},
		} {
			if err := act.do(by); !forbidden(err) {
				t.Errorf("%s by %s: %v", name, who, err)
			}
		}
		for role, by := range others {
			if role.Can(act.needs) {
				continue
			}
			if err := act.do(by); !forbidden(err) {
				t.Errorf("%s by %s: %v", name, role, err)
			}
		}
	}
}

// memberAct is an operation with the capability that its actor must have.
type memberAct struct {
	needs models.Capability
	do    func(by models.Actor) error
}

// memberActs creates the objects on which members act, and returns the operations by name.
// HandOver would make heir the owner.
func memberActs(t *testing.T, g *paymentstest.Gateway, heir string) map[string]memberAct {
	t.Helper()
	acts := saleActs(t, g)
	maps.Copy(acts, integrationActs(t, g))
	ctx, m := t.Context(), g.Merchants
	maps.Copy(acts, map[string]memberAct{
		"rename the account": {models.Administer, func(by models.Actor) error {
			_, err := m.Rename(ctx, by, "Outro nome")
			return err
		}},
		"release second factors": {models.Own, func(by models.Actor) error {
			return m.RequireSecondFactor(ctx, by, false)
		}},
		"remove the logo": {models.Administer, func(by models.Actor) error {
			return m.RemoveLogo(ctx, by)
		}},
		"keep a draft": {models.Administer, func(by models.Actor) error {
			return m.SaveAccessDraft(ctx, by, merchants.AccessDraft{LegalName: "Ateliê"})
		}},
		"invite": {models.Administer, func(by models.Actor) error {
			_, err := m.Invite(ctx, by, merchants.NewInvite{Email: "nova@example.com", Role: models.RoleViewer})
			return err
		}},
		"hand the account over": {models.Own, func(by models.Actor) error {
			return m.HandOver(ctx, by, heir)
		}},
	})
	return acts
}

func saleActs(t *testing.T, g *paymentstest.Gateway) map[string]memberAct {
	t.Helper()
	ctx, m := t.Context(), g.Merchants
	form := merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 49_90, PaymentCycle: "ONE_TIME", Active: true}
	archived := form
	archived.Slug = "tigela"
	for _, product := range []merchants.ProductForm{form, archived} {
		if _, err := m.CreateProduct(ctx, g.Owner, g.Test, product); err != nil {
			t.Fatal(err)
		}
	}
	link, _, err := g.CreatePaymentLink(ctx, g.Test, g.Account, payments.NewPaymentLink{
		ProductSlug: "vaso", ExpiresIn: time.Hour, IdempotencyKey: "1", RequestHash: make([]byte, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]memberAct{
		"create a product": {models.Sell, func(by models.Actor) error {
			other := form
			other.Slug = "prato"
			_, err := m.CreateProduct(ctx, by, g.Test, other)
			return err
		}},
		"change a product": {models.Sell, func(by models.Actor) error {
			changed := form
			changed.Amount = 59_90
			return m.UpdateProduct(ctx, by, g.Test, "vaso", changed)
		}},
		"archive a product": {models.Sell, func(by models.Actor) error {
			return m.ArchiveProduct(ctx, by, g.Test, "tigela", true)
		}},
		"change a link": {models.Sell, func(by models.Actor) error {
			return m.UpdatePaymentLink(ctx, by, g.Test, link.ID, merchants.LinkForm{ExpiresIn: time.Hour,
				LinkTerms: models.LinkTerms{BuyerData: models.BuyerDataOff, MaxQuantity: 1}})
		}},
		"turn a link off": {models.Sell, func(by models.Actor) error {
			return m.SwitchPaymentLink(ctx, by, g.Test, link.ID, false)
		}},
	}
}

func integrationActs(t *testing.T, g *paymentstest.Gateway) map[string]memberAct {
	t.Helper()
	ctx, m := t.Context(), g.Merchants
	key := merchants.NewKey{Name: "x", Permissions: []models.Permission{models.PermissionCheckoutRead}}
	known, _, err := m.CreateKey(ctx, g.Owner, g.Test, key)
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := m.CreateKey(ctx, g.Owner, g.Test, key)
	if err != nil {
		t.Fatal(err)
	}
	live, _, err := m.CreateKey(ctx, g.Owner, g.Live, key)
	if err != nil {
		t.Fatal(err)
	}
	hook := merchants.NewEndpoint{URL: "https://loja.example/hook", Types: []string{"checkout.paid"}}
	endpoint, _ := g.Endpoint(t, "https://loja.example/pix")
	unused, _ := g.Endpoint(t, "https://loja.example/old")
	return map[string]memberAct{
		"make a key": {models.Integrate, func(by models.Actor) error {
			_, _, err := m.CreateKey(ctx, by, g.Test, key)
			return err
		}},
		"revoke a key": {models.Integrate, func(by models.Actor) error {
			return m.RevokeKey(ctx, by, g.Test, known.ID)
		}},
		"let a test key read events": {models.Integrate, func(by models.Actor) error {
			return m.SetKeySwitch(ctx, by, g.Test, kept.ID, models.KeyEvents, true)
		}},
		"let a live key read events": {models.MoveMoney, func(by models.Actor) error {
			return m.SetKeySwitch(ctx, by, g.Live, live.ID, models.KeyEvents, true)
		}},
		"let a live key read the audit log": {models.Own, func(by models.Actor) error {
			return m.SetKeySwitch(ctx, by, g.Live, live.ID, models.KeyAudit, true)
		}},
		"make an endpoint": {models.Integrate, func(by models.Actor) error {
			_, _, err := m.CreateEndpoint(ctx, by, g.Test, hook)
			return err
		}},
		"change an endpoint": {models.Integrate, func(by models.Actor) error {
			return m.UpdateEndpoint(ctx, by, g.Test, endpoint.ID, hook)
		}},
		"turn an endpoint off": {models.Integrate, func(by models.Actor) error {
			return m.SwitchEndpoint(ctx, by, g.Test, endpoint.ID, false)
		}},
		"delete an endpoint": {models.Integrate, func(by models.Actor) error {
			return m.DeleteEndpoint(ctx, by, g.Test, unused.ID)
		}},
		"show a secret": {models.Integrate, func(by models.Actor) error {
			_, err := m.ShowSecret(ctx, by, g.Test, endpoint.ID)
			return err
		}},
	}
}
