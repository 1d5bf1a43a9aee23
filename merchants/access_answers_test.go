package merchants_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// personal is what a request holds about people.
var personal = []string{"Aurora Cerâmica", "12ABC34501DE35", "Rita Souza", "ana@aurora.example", "91234"}

// says reports whether the request has the answers of the form.
func says(r *models.AccessRequest, err error) bool {
	return err == nil && r.LegalName == "Aurora Cerâmica Ltda" && r.Document == "12ABC34501DE35" &&
		r.ContactName == "Rita Souza" && r.ContactEmail == "ana@aurora.example"
}

// writePlain writes a request of the merchant as a program of an earlier version does.
func writePlain(t *testing.T, g *paymentstest.Gateway, id string, status models.AccessStatus) {
	t.Helper()
	phone := g.Vault.Seal(models.SealedContactPhone.Place(id), "+55 (11) 91234-5678")
	modelstest.Exec(t, g.DB, `INSERT INTO access_requests (id, account_id, status, legal_name, document, sells,
			monthly_volume, contact_name, contact_email, contact_phone, submitted_by, submitted_at, updated_at)
		VALUES ($1, $2, $3, 'Aurora Cerâmica Ltda', '12ABC34501DE35', 'Vasos', 100, 'Rita Souza', 'ana@aurora.example',
			$4, $5, $6, $6)`, id, g.Account.ID, status, phone, g.Owner.UserID, g.Clock.Now())
}

// Answers lie in no column in plain. An approval makes the document, and nothing else, the account's, where every
// buyer sees it. What does not open is left out of lists, and is not approved.
func TestAccessAnswers_Sealed(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := staff(t, g, "rev@example.com", models.StaffReviewer)
	form := answers()
	form.ContactName = "Rita Souza"
	r, err := g.Merchants.RequestAccess(t.Context(), g.Owner, form)
	if !says(r, err) {
		t.Fatalf("the new request says %+v, %v", r, err)
	}
	if columns := modelstest.Holding(t, g.DB, personal...); len(columns) > 0 {
		t.Errorf("%v hold answers", columns)
	}
	if kept, err := g.Merchants.LatestAccessRequest(t.Context(), g.Account.ID); !says(kept, err) {
		t.Errorf("read as %+v, %v", kept, err)
	}
	if err := g.Merchants.DecideAccess(t.Context(), by, r.ID,
		merchants.AccessDecision{Version: 1, Outcome: models.AccessRequestApproved}); err != nil {
		t.Fatal(err)
	}
	if columns := modelstest.Holding(t, g.DB, personal...); !slices.Equal(columns, []string{"accounts.document"}) {
		t.Errorf("after the approval, %v hold answers", columns)
	}

	other := g.Merchant(t, "bia@example.com")
	modelstest.Exec(t, g.DB, "UPDATE users SET email_verified_at = now()")
	damaged, err := g.Merchants.RequestAccess(t.Context(), other.Owner, form)
	if err != nil {
		t.Fatal(err)
	}
	if shared, err := g.Merchants.SharedDocument(t.Context(), damaged); err != nil || len(shared) != 1 ||
		!says(&shared[0].AccessRequest, nil) || shared[0].ID != r.ID {
		t.Errorf("the same document is in %+v, %v", shared, err)
	}
	err = g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.SealedAccessAnswers.ReplaceSealed(tx, []models.SealedValue{{ID: damaged.ID, Old: damaged.Answers,
			New: []byte("x")}})
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := models.AccessRequestsInReview(t.Context(), g.DB.Pool, nil, 10)
	g.Merchants.OpenAccessRequests(t.Context(), list)
	if err != nil || len(list) != 1 || list[0].Document != "" || list[0].AccountName != other.Account.Name {
		t.Errorf("listed as %+v, %v", list, err)
	}
	if err := g.Merchants.DecideAccess(t.Context(), by, damaged.ID,
		merchants.AccessDecision{Version: 1, Outcome: models.AccessRequestApproved}); err == nil {
		t.Error("a request whose document nobody can read was approved")
	}
}

// found returns the requests that the search of staff finds.
func found(t *testing.T, g *paymentstest.Gateway, text string) (ids []string) {
	t.Helper()
	all, err := g.Merchants.Find(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Kind == models.FoundRequest {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// What a program of an earlier version wrote is read, found and approved as before, and sealed by the job; a request
// that another transaction holds waits for the next run. Two jobs at once do it once.
func TestSealAccessRequests(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ids := []string{"acr_00000000000000000001", "acr_00000000000000000002", "acr_00000000000000000003"}
	for i, status := range []models.AccessStatus{"WITHDRAWN", "REJECTED", "PENDING_REVIEW"} {
		writePlain(t, g, ids[i], status)
	}
	modelstest.Exec(t, g.DB, "UPDATE accounts SET production_access = 'PENDING_REVIEW' WHERE id = $1", g.Account.ID)
	all := func(when string) {
		t.Helper()
		for _, id := range ids {
			if r, err := g.Merchants.AccessRequest(t.Context(), id); !says(r, err) {
				t.Errorf("%s, %s is read as %+v, %v", when, id, r, err)
			}
		}
		for _, text := range []string{"12.ABC.345/01DE-35", "Ana@Aurora.example"} {
			got := found(t, g, text)
			slices.Sort(got)
			if diff := cmp.Diff(ids, got); diff != "" {
				t.Errorf("%s, %q finds (-want +got)\n%s", when, text, diff)
			}
		}
	}
	all("plain")
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := models.SetAccessRequestStatus(tx, ids[2], 1, "PENDING_REVIEW", "PENDING_REVIEW",
			g.Clock.Now()); err != nil {
			return err
		}
		var jobs errgroup.Group
		for range 2 {
			jobs.Go(func() error { return g.Merchants.SealAccessRequests(t.Context()) })
		}
		if err := jobs.Wait(); err != nil {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all("half sealed")
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM access_requests WHERE answers IS NULL"); n != 1 {
		t.Errorf("%d requests are plain beside a locked one, want that one", n)
	}
	if err := g.Merchants.SealAccessRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if columns := modelstest.Holding(t, g.DB, personal...); len(columns) > 0 {
		t.Errorf("%v hold answers after the job", columns)
	}
	all("sealed")
	by := staff(t, g, "rev@example.com", models.StaffReviewer)
	if err := g.Merchants.DecideAccess(t.Context(), by, ids[2],
		merchants.AccessDecision{Version: 2, Outcome: models.AccessRequestApproved}); err != nil {
		t.Errorf("approve what was sealed: %v", err)
	}
}

// A program of an earlier version beside this one can neither approve what it cannot read, nor connect accounts by it.
func TestAccessAnswers_EarlierProgram(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r := request(t, g)
	stored, err := models.AccessRequestByID(t.Context(), g.DB, r.ID)
	if err != nil || stored.LegalName != g.Account.Name || stored.Document != r.ID {
		t.Fatalf("it reads %+v, %v", stored, err)
	}
	err = g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.SetAccountDocument(tx, g.Account.ID, stored.Document)
	})
	if !models.Violates(err, "accounts_document_check") {
		t.Errorf("it approves: %v", err)
	}
	if _, err := g.Merchants.AccessRequest(t.Context(), "acr_0000000000000000000f"); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("an unknown request: %v", err)
	}
}
