package merchants_test

import (
	"errors"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// Only administrators may change what buyers see of an account, even if the role changed while
// the page was open.
func TestBrand_Roles(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	for role, may := range map[models.Role]bool{
		models.RoleOwner: true, models.RoleAdmin: true, models.RoleDeveloper: false, models.RoleFinance: false,
		models.RoleViewer: false, "": false,
	} {
		g.GiveRole(t, role)
		_, renamed := m.Rename(t.Context(), g.Owner, "Loja "+string(role))
		for name, err := range map[string]error{
			"rename": renamed,
			"look":   m.SetBrandLook(t.Context(), g.Owner, merchants.BrandLook{Accent: "#123"}),
			"logo":   m.RemoveLogo(t.Context(), g.Owner),
		} {
			if may && err != nil || !may && !forbidden(err) {
				t.Errorf("%s by %q: %v", name, role, err)
			}
		}
		if err := m.SetNotices(t.Context(), g.Owner, nil); (role == "") != errors.Is(err, models.ErrNotFound) {
			t.Errorf("notices of %q: %v", role, err)
		}
	}
}

// An owner who turned the notice off gets no mail about decisions of staff.
func TestDecideAccess_Muted(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	if err := g.Merchants.SetNotices(t.Context(), g.Owner, []models.Notice{models.NoticeWithdrawals}); err != nil {
		t.Fatal(err)
	}
	reviewer, r := staff(t, g, "rev@example.com", models.StaffReviewer), request(t, g)
	for _, told := range []int{0, 1} {
		decision := merchants.AccessDecision{Version: r.Version, Outcome: models.AccessRequestReturned, Reason: why}
		if err := g.Merchants.DecideAccess(t.Context(), reviewer, r.ID, decision); err != nil {
			t.Fatal(err)
		}
		mails, err := models.LatestMails(t.Context(), g.DB.Pool, 100)
		n := 0
		for _, m := range mails {
			if m.Kind == models.MailAccessReturned && m.To == g.Email {
				n++
			}
		}
		if err != nil || n != told {
			t.Errorf("%d mails, want %d, %v", n, told, err)
		}
		if err := g.Merchants.SetNotices(t.Context(), g.Owner, models.Notices); err != nil {
			t.Fatal(err)
		}
		r = request(t, g)
	}
}
