package webtest

import (
	"errors"
	"strings"
	"testing"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// AccessAnswers returns the form of a request for production access that may be approved.
// What the form does is do: check, edit or send.
func AccessAnswers(do string) []string {
	return []string{
		"legalName", "Aurora Cerâmica Ltda", "document", "12.abc.345/01de-35", "website", "aurora.example", "sells",
		"Vasos de cerâmica",
		"monthlyVolume", "20.000,00", "contactName", "Ana Lima", "contactEmail", "ana@aurora.example", "contactPhone",
		"(11) 91234-5678", "do", do,
	}
}

// AddStaff adds a person of staff, whose password is paymentstest.Password.
func (s *Site) AddStaff(t *testing.T, email string, role models.StaffRole) models.Actor {
	t.Helper()
	id, err := s.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva Reis", Email: email,
		Password: paymentstest.Password, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: id}
}

// DecideAccess decides about the merchant's request for production access.
func (s *Site) DecideAccess(t *testing.T, by models.Actor, outcome models.AccessStatus) {
	t.Helper()
	r, err := models.LatestAccessRequest(t.Context(), s.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Merchants.DecideAccess(t.Context(), by, r.ID, merchants.AccessDecision{
		Version: r.Version, Outcome: outcome, Reason: merchants.Reason{Code: "ACTIVITY_UNCLEAR",
			Text: "Quais são os prazos de entrega?"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ProductionAccess returns how far the merchant is on the way to production.
func (s *Site) ProductionAccess(t *testing.T) models.ProductionAccess {
	t.Helper()
	a, err := models.AccountByID(t.Context(), s.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return a.ProductionAccess
}

// FundLive gives the merchant live access, money and a destination.
func (s *Site) FundLive(t *testing.T, amount money.Cents) {
	t.Helper()
	s.GoLive(t)
	s.Fund(t, models.Live, amount)
	s.Destination(t, models.RailPix)
}

// TermsReason is a reason to change the terms of a merchant.
const TermsReason = "Combinado no contrato de março."

// Console returns a client that logged in as a new person of staff, and the person.
func (s *Site) Console(t *testing.T, role models.StaffRole) (*Client, models.Actor) {
	t.Helper()
	email := strings.ToLower(string(role)) + "@staff.example"
	by := s.AddStaff(t, email, role)
	c := s.Client(t)
	c.Post("/entrar", "email", email, "password", paymentstest.Password)
	s.Enroll(t, c, c.Get("/ops").Header.Get("Location"))
	return c, by
}

// TurnSwitch turns a switch of the merchant on or off.
func (s *Site) TurnSwitch(t *testing.T, by models.Actor, which models.Switch, on bool) {
	t.Helper()
	if err := s.Merchants.SetSwitch(t.Context(), by, s.Account.ID,
		merchants.SwitchTurn{Switch: which, On: on, Reason: "Ordem judicial 123."}); err != nil {
		t.Fatal(err)
	}
}

// AskForAccess signs up another merchant, which asks for production access.
func (s *Site) AskForAccess(t *testing.T, business, email, document string) *models.AccessRequest {
	t.Helper()
	m, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia Melo", Business: business, Email: email,
		Password: paymentstest.Password, Verified: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	verified := s.DB.Model(&models.User{}).Where("id = ?", m.UserID).Update("email_verified_at", s.Clock.Now())
	if err := verified.Error; err != nil {
		t.Fatal(err)
	}
	request, err := s.Merchants.RequestAccess(t.Context(), models.Actor{UserID: m.UserID, AccountID: m.AccountID},
		merchants.AccessForm{
			LegalName: business, Document: document, Sells: "Pães e bolos para a vizinhança, com entrega no mesmo dia.",
			MonthlyVolume: 12_000_00,
			ContactName:   "Bia Melo", ContactEmail: email, ContactPhone: "(21) 98765-4321",
		})
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// NewName returns the id of a new name of the account that waits for staff. One that waited before is withdrawn.
func (s *Site) NewName(t *testing.T) string {
	t.Helper()
	now := s.Clock.Now()
	p := models.NameProposal{ID: models.NewNameProposalID(), AccountID: s.Account.ID, Before: s.Account.Name,
		Name: "Ateliê Lua", ProposedBy: s.Owner.UserID, ProposedAt: now}
	err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		waiting, err := models.LockPendingName(tx, s.Account.ID)
		if err == nil {
			waiting.Status, waiting.DecidedBy, waiting.DecidedAt = models.ProposalWithdrawn, &s.Owner.UserID, &now
			err = models.SaveNameDecision(tx, &waiting.NameProposal)
		}
		if err != nil && !errors.Is(err, models.ErrNotFound) {
			return err
		}
		return models.InsertNameProposal(tx, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}
