package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
)

// demoMerchant is the output of `garoupa demo -json`. Other programs read it, so the names
// are fixed.
type demoMerchant struct {
	AccountID     string      `json:"accountId"`
	ProjectID     string      `json:"projectId"`
	Owner         demoPerson  `json:"owner"`
	Staff         []demoStaff `json:"staff"`
	ProductID     string      `json:"productId"` // a slug
	WebhookSecret *string     `json:"webhookSecret"`
	Keys          demoKeys    `json:"keys"`

	owner models.Actor // known only to the command that made the merchant
}

type demoPerson struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

type demoStaff struct {
	demoPerson
	Role models.StaffRole `json:"role"`
}

type demoKeys struct {
	Test         string `json:"test"`         // every permission
	TestReadOnly string `json:"testReadOnly"` // CHECKOUT:READ
	Live         string `json:"live"`         // every permission, on an approved account
	LivePending  string `json:"livePending"`  // of an account that never requested access
}

func demo(ctx context.Context, in invocation) error {
	asJSON := in.flags.Bool("json", false, "print one JSON object")
	live := in.flags.Bool("live", false, "print only a live key, of a merchant that may charge live")
	hook := in.flags.String("webhook-url", "", "register a webhook endpoint at this `URL`, for test and live")
	history := in.flags.Bool("history", false, historyFlag)
	if _, err := in.parse(); err != nil {
		return err
	}
	db, services, err := openBeside(ctx, in.settings)
	if err != nil {
		return err
	}
	defer db.Close()
	made, err := makeDemo(ctx, services, *history)
	if err == nil && *history {
		err = demoHistory(ctx, services, made)
	}
	if err == nil && *hook != "" { // after the past, of which it hears nothing
		made.WebhookSecret, err = demoEndpoints(ctx, services.merchants, made, *hook)
	}
	if err != nil {
		return err
	}
	switch {
	case *asJSON:
		return json.NewEncoder(in.out).Encode(made)
	case *live:
		_, err := fmt.Fprintln(in.out, made.Keys.Live)
		return err
	}
	printDemo(in.out, in.settings, made)
	return nil
}

// makeDemo adds a merchant with all permissions, a second one without live access, and two
// members of staff. If old is set they signed up before the past of demoHistory.
func makeDemo(ctx context.Context, s *services, old bool) (*demoMerchant, error) {
	m := s.merchants
	if old {
		m = sincePast(m)
	}
	suffix := strings.ToLower(rand.Text()[:6])
	main, owner, err := demoAccount(ctx, m, "Ateliê Aurora", "dona-"+suffix+"@demo.garoupa.example")
	if err != nil {
		return nil, err
	}
	other, _, err := demoAccount(ctx, m, "Padaria Sol", "padaria-"+suffix+"@demo.garoupa.example")
	if err != nil {
		return nil, err
	}
	out := &demoMerchant{AccountID: main.AccountID, ProjectID: main.ProjectID, Owner: owner, ProductID: "vaso-lua-nova",
		owner: models.Actor{UserID: main.UserID, AccountID: main.AccountID}}
	if err := approve(ctx, m, main.AccountID); err != nil {
		return nil, err
	}
	if err := demoProducts(ctx, m, main.ProjectID, out.ProductID); err != nil {
		return nil, err
	}
	if out.Keys, err = makeDemoKeys(ctx, m, main, other); err != nil {
		return nil, err
	}
	for _, role := range []models.StaffRole{models.StaffReviewer, models.StaffSupervisor} {
		person := demoPerson{Email: strings.ToLower(string(role)) + "-" + suffix + "@demo.garoupa.example",
			Password: demoPassword()}
		if _, err := m.AddStaff(ctx, merchants.NewStaff{Name: "Equipe Garoupa", Email: person.Email,
			Password: person.Password, Role: role}); err != nil {
			return nil, err
		}
		out.Staff = append(out.Staff, demoStaff{person, role})
	}
	return out, nil
}

func demoAccount(ctx context.Context, m *merchants.Service, business, email string) (merchants.Merchant,
	demoPerson, error) {
	owner := demoPerson{Email: email, Password: demoPassword()}
	made, err := m.SignUp(ctx, merchants.NewMerchant{Name: "Marina Prado", Business: business, Email: email,
		Password: owner.Password, Verified: true}, "")
	return made, owner, err
}

func demoPassword() string { return strings.ToLower(rand.Text()[:16]) }

func approve(ctx context.Context, m *merchants.Service, accountID string) error {
	return m.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := models.SetProductionAccess(tx, accountID, models.AccessApproved); err != nil {
			return err
		}
		return models.InsertAudit(tx, models.AuditEntry{
			At: m.Now(), Actor: "system", AccountID: accountID, Action: "account.approved", ObjectID: accountID,
			Detail: map[string]string{"reason": "demo"},
		})
	})
}

func demoProducts(ctx context.Context, m *merchants.Service, projectID, slug string) error {
	about := "Cerâmica de alta temperatura, esmalte azul cobalto."
	return m.DB.InTx(ctx, func(tx *models.Tx) error {
		for _, environment := range []models.Environment{models.Test, models.Live} {
			now := m.Now()
			err := models.InsertProduct(tx, &models.Product{
				ID: models.NewProductID(), ProjectID: projectID, Environment: environment, Slug: slug,
				Name: "Vaso Lua Nova", Description: &about,
				Amount: money.Cents(124990), PaymentCycle: "ONE_TIME", Active: true, CreatedAt: now,
				UpdatedAt: now,
			})
			if err != nil {
				return fmt.Errorf("demo product: %w", err)
			}
		}
		return nil
	})
}

func makeDemoKeys(ctx context.Context, m *merchants.Service, main, other merchants.Merchant) (keys demoKeys,
	err error) {
	for _, k := range []struct {
		secret      *string
		owner       merchants.Merchant
		environment models.Environment
		name        string
		permissions []models.Permission
	}{
		{&keys.Test, main, models.Test, "Demo", models.Permissions},
		{&keys.TestReadOnly, main, models.Test, "Demo, leitura",
			[]models.Permission{models.PermissionCheckoutRead}},
		{&keys.Live, main, models.Live, "Demo", models.Permissions},
		{&keys.LivePending, other, models.Live, "Demo", models.Permissions},
	} {
		scope := models.Scope{ProjectID: k.owner.ProjectID, Environment: k.environment}
		by := models.Actor{UserID: k.owner.UserID, AccountID: k.owner.AccountID}
		if _, *k.secret, err = m.CreateKey(ctx, by, scope,
			merchants.NewKey{Name: k.name, Permissions: k.permissions}); err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// demoEndpoints registers the address in both environments, with one secret, which is the
// one printed.
func demoEndpoints(ctx context.Context, m *merchants.Service, d *demoMerchant, hook string) (*string, error) {
	secret := ""
	for _, environment := range []models.Environment{models.Test, models.Live} {
		scope := models.Scope{ProjectID: d.ProjectID, Environment: environment}
		var err error
		if _, secret, err = m.CreateEndpoint(ctx, d.owner, scope,
			merchants.NewEndpoint{URL: hook, Types: models.EventTypes, Secret: secret}); err != nil {
			return nil, fmt.Errorf("--webhook-url: %w", err)
		}
	}
	return &secret, nil
}
