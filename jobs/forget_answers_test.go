package jobs_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/jobs"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// asked writes a request of the status, whose answers are sealed.
func asked(t *testing.T, g *paymentstest.Gateway, id string, status models.AccessStatus) {
	t.Helper()
	phone := g.Vault.Seal(models.SealedContactPhone.Place(id), "+55 (11) 91234-5678")
	modelstest.Exec(t, g.DB, `INSERT INTO access_requests (id, account_id, status, legal_name, document, sells,
			monthly_volume, contact_name, contact_email, contact_phone, submitted_by, submitted_at, updated_at)
		VALUES ($1, $2, $3, 'Aurora Ltda', '52998224725', 'Vasos', 100, 'Ana', 'ana@aurora.example', $4, $5, $6, $6)`,
		id, g.Account.ID, status, phone, g.Owner.UserID, g.Clock.Now())
}

// The answers of requests that gave no access, or whose access was revoked, end a time after the decision; what was
// decided about what business stays. Those in review, and those that gave the access that an account has, stay.
// Drafts end a year after they were saved.
func TestForget_Answers(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ends := map[string]models.AccessStatus{"acr_00000000000000000001": "WITHDRAWN",
		"acr_00000000000000000002": "REJECTED", "acr_00000000000000000003": "RETURNED",
		"acr_00000000000000000004": "REVOKED"}
	stays := map[string]models.AccessStatus{"acr_00000000000000000005": "APPROVED",
		"acr_00000000000000000006": "PENDING_REVIEW"}
	for _, all := range []map[string]models.AccessStatus{ends, stays} {
		for id, status := range all {
			asked(t, g, id, status)
		}
	}
	if err := g.Merchants.SealAccessRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, g.DB, "UPDATE accounts SET production_access = 'REJECTED'")
	if err := g.Merchants.SaveAccessDraft(t.Context(), g.Owner,
		merchants.AccessDraft{LegalName: "Aurora"}); err != nil {
		t.Fatal(err)
	}
	left := func(after time.Duration) int {
		t.Helper()
		now := g.Clock.Now().Add(after)
		var twice errgroup.Group
		for range 2 {
			twice.Go(func() error { return g.Merchants.EndAccessAnswers(t.Context(), now.Add(-buyersKept)) })
		}
		if err := twice.Wait(); err != nil {
			t.Fatal(err)
		}
		if err := jobs.Forget(t.Context(), g.DB.Pool, now, buyersKept); err != nil {
			t.Fatal(err)
		}
		return modelstest.One[int](t, g.DB, "SELECT count(*) FROM access_requests WHERE answers IS NOT NULL")
	}
	if n := left(buyersKept - time.Second); n != 6 {
		t.Errorf("%d of 6 requests have answers before the end", n)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM access_drafts"); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
	if n := left(buyersKept + time.Second); n != len(stays) {
		t.Errorf("%d requests have answers, want %d", n, len(stays))
	}
	for id, status := range ends {
		r, err := g.Merchants.AccessRequest(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		phone, err := g.Merchants.ContactPhone(r)
		if err != nil || phone+r.LegalName+r.Document+r.ContactName+r.ContactEmail != "" || r.DocumentDigest != nil ||
			r.EmailDigest != nil || *r.Sells != "Vasos" || r.Status != status || r.Version != 1 {
			t.Errorf("the ended %s is %+v with the phone %q, %v", status, r, phone, err)
		}
		if shared, err := g.Merchants.SharedDocument(t.Context(), r); err != nil || len(shared) != 0 {
			t.Errorf("the ended %s shares its document with %v, %v", status, shared, err)
		}
	}
	for id, status := range stays {
		if r, err := g.Merchants.AccessRequest(t.Context(), id); err != nil || r.Document != "52998224725" {
			t.Errorf("the %s is %+v, %v", status, r, err)
		}
	}
}
