package merchants_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// answers returns the answers of a merchant that can be approved.
func answers() merchants.AccessForm {
	return merchants.AccessForm{
		LegalName: "Aurora Cerâmica Ltda", Document: "12.abc.345/01de-35", Website: "aurora.example",
		Sells:         "Vasos de cerâmica",
		MonthlyVolume: 20_000_00, ContactName: "Ana Lima", ContactEmail: "Ana@Aurora.example",
		ContactPhone: "+55 (11) 91234-5678",
	}
}

var why = merchants.Reason{Code: "INCOMPLETE", Text: "O site não mostra o que é vendido."}

// staff adds a person of the installation's own staff.
func staff(t *testing.T, g *paymentstest.Gateway, email string, role models.StaffRole) models.Actor {
	t.Helper()
	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva", Email: email, Password: password,
		Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: id, IP: "198.51.100.2", RequestID: "req_staff"}
}

// request requests production access.
func request(t *testing.T, g *paymentstest.Gateway) *models.AccessRequest {
	t.Helper()
	r, err := g.Merchants.RequestAccess(t.Context(), g.Owner, answers())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// access returns the account's production access and the status of its newest request.
func access(t *testing.T, g *paymentstest.Gateway) (models.ProductionAccess, models.AccessStatus) {
	t.Helper()
	a, err := models.AccountByID(t.Context(), g.DB, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := models.LatestAccessRequest(t.Context(), g.DB, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return a.ProductionAccess, r.Status
}

// A request goes back and forth between a merchant and staff until it is approved, and access
// is revoked in the end. Every request and decision is stored.
func TestProductionAccess(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	reviewer, supervisor := staff(t, g, "rev@example.com", models.StaffReviewer), staff(t, g, "sup@example.com",
		models.StaffSupervisor)
	decide := func(outcome models.AccessStatus, why merchants.Reason) func() error {
		return func() error {
			r, err := models.LatestAccessRequest(t.Context(), g.DB, g.Account.ID)
			if err != nil {
				return err
			}
			return m.DecideAccess(t.Context(), reviewer, r.ID,
				merchants.AccessDecision{Version: r.Version, Outcome: outcome, Reason: why})
		}
	}
	ask := func() error { _, err := m.RequestAccess(t.Context(), g.Owner, answers()); return err }
	withdraw := func() error { return m.WithdrawAccessRequest(t.Context(), g.Owner) }
	revoke := func() error { return m.RevokeAccess(t.Context(), supervisor, g.Account.ID, lastDecision(t, g), why) }
	changed := merchants.ErrChanged
	for i, step := range []struct {
		act     func() error
		refusal error
		access  models.ProductionAccess
		request models.AccessStatus
	}{
		{ask, nil, models.AccessPendingReview, models.AccessRequestPending},
		{ask, changed, models.AccessPendingReview, models.AccessRequestPending},
		{revoke, changed, models.AccessPendingReview, models.AccessRequestPending},
		{withdraw, nil, models.AccessNotRequested, models.AccessRequestWithdrawn},
		{withdraw, changed, models.AccessNotRequested, models.AccessRequestWithdrawn},
		{decide(models.AccessRequestApproved, merchants.Reason{}), changed, models.AccessNotRequested,
			models.AccessRequestWithdrawn},
		{ask, nil, models.AccessPendingReview, models.AccessRequestPending},
		{decide(models.AccessRequestReturned, why), nil, models.AccessRejected, models.AccessRequestReturned},
		{withdraw, changed, models.AccessRejected, models.AccessRequestReturned},
		{ask, nil, models.AccessPendingReview, models.AccessRequestPending},
		{decide(models.AccessRequestRejected, why), nil, models.AccessRejected, models.AccessRequestRejected},
		{decide(models.AccessRequestApproved, merchants.Reason{}), changed, models.AccessRejected,
			models.AccessRequestRejected},
		{ask, nil, models.AccessPendingReview, models.AccessRequestPending},
		{decide(models.AccessRequestApproved, merchants.Reason{}), nil, models.AccessApproved,
			models.AccessRequestApproved},
		{ask, changed, models.AccessApproved, models.AccessRequestApproved},
		{withdraw, changed, models.AccessApproved, models.AccessRequestApproved},
		{revoke, nil, models.AccessRejected, models.AccessRequestRevoked},
		{revoke, changed, models.AccessRejected, models.AccessRequestRevoked},
		{ask, nil, models.AccessPendingReview, models.AccessRequestPending},
	} {
		g.Clock.Advance(1e9)
		if err := step.act(); !errors.Is(err, step.refusal) {
			t.Fatalf("step %d: %v, want %v", i, err, step.refusal)
		}
		if access, request := access(t, g); access != step.access || request != step.request {
			t.Fatalf("step %d: the account is %s and the request %s, want %s and %s", i, access, request, step.access,
				step.request)
		}
	}
	decisionsKept(t, g, "REVOKED", "APPROVED", "REJECTED", "RETURNED")
	if requests, err := models.AccessRequestsOf(t.Context(), g.DB.Pool, g.Account.ID); err != nil ||
		len(requests) != 5 {
		t.Errorf("%d requests, %v", len(requests), err)
	}
}

// decisionsKept checks the decisions about the account, newest first, and that each refusal
// has its reason.
func decisionsKept(t *testing.T, g *paymentstest.Gateway, want ...models.AccessStatus) {
	t.Helper()
	decisions, err := models.AccessDecisions(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []models.AccessStatus
	for _, d := range decisions {
		outcomes = append(outcomes, d.Outcome)
		if approved := d.Outcome == models.AccessRequestApproved; approved != (d.Reason == nil) ||
			!approved && (*d.Reason != why.Text || *d.ReasonCode != why.Code) {
			t.Errorf("%s because %v %v", d.Outcome, d.ReasonCode, d.Reason)
		}
	}
	if diff := cmp.Diff(want, outcomes); diff != "" {
		t.Errorf("decisions (-want +got)\n%s", diff)
	}
}

// Answers are stored in normalized form, the phone number sealed. The approval shows the
// merchant's document to buyers, and the audit log has each actor.
func TestProductionAccess_Kept(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r, by := request(t, g), staff(t, g, "rev@example.com", models.StaffReviewer)
	if err := g.Merchants.DecideAccess(t.Context(), by, r.ID,
		merchants.AccessDecision{Version: 1, Outcome: models.AccessRequestApproved, Reason: why}); err != nil {
		t.Fatal(err)
	}
	kept, err := g.Merchants.AccessRequest(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Document != "12ABC34501DE35" || *kept.Website != "https://aurora.example" ||
		kept.ContactEmail != "ana@aurora.example" || kept.MonthlyVolume != 20_000_00 {
		t.Errorf("the stored request is %+v", kept)
	}
	if phone, err := g.Merchants.ContactPhone(kept); err != nil || phone != "+55 (11) 91234-5678" ||
		strings.Contains(string(kept.ContactPhone), "91234") {
		t.Errorf("the phone number is %q, %v", phone, err)
	}
	if a, err := models.AccountByID(t.Context(), g.DB, g.Account.ID); err != nil || a.Document == nil ||
		*a.Document != kept.Document {
		t.Errorf("the account is %+v, %v", a, err)
	}
	mails, err := models.LatestMails(t.Context(), g.DB.Pool, 1)
	if err != nil || len(mails) != 1 || mails[0].Kind != models.MailAccessApproved || mails[0].To != g.Email ||
		mails[0].Params["account"] != g.Account.Name {
		t.Errorf("the mails to the owner are %+v, %v", mails, err)
	}
	lines, err := models.AuditLines(t.Context(), g.DB.Pool,
		models.AuditFilter{AccountID: g.Account.ID, Subject: "access"})
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	want := models.AuditLine{
		ID: lines[0].ID, ActorName: "Eva", ActorRole: "REVIEWER", ActorEmail: "rev@example.com", ByStaff: true,
		AccountName: g.Account.Name,
		AuditEntry: models.AuditEntry{
			At: g.Clock.Now(), Actor: by.UserID, AccountID: g.Account.ID, Action: "access.approved", ObjectID: r.ID,
			IP: by.IP, RequestID: by.RequestID,
			Detail: map[string]string{}, Before: map[string]string{"productionAccess": "PENDING_REVIEW"},
			After: map[string]string{"productionAccess": "APPROVED"},
		},
	}
	if diff := cmp.Diff(want, lines[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if lines[1].Action != "access.requested" || lines[1].ByStaff || lines[1].Actor != g.Owner.UserID {
		t.Errorf("the request's audit line is %+v", lines[1])
	}
}

func TestRequestAccess_Invalid(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	long := strings.Repeat("é", 201)
	for name, tc := range map[string]struct {
		change func(*merchants.AccessForm)
		want   merchants.Invalid
	}{
		"nothing": {func(f *merchants.AccessForm) { *f = merchants.AccessForm{} }, merchants.Invalid{
			"legalName": merchants.Missing, "document": merchants.Missing, "sells": merchants.Missing,
			"monthlyVolume": merchants.Malformed,
			"contactName":   merchants.Missing, "contactEmail": merchants.Malformed,
			"contactPhone": merchants.Malformed,
		}},
		"check digits": {func(f *merchants.AccessForm) { f.Document = "12ABC34501DE36" },
			merchants.Invalid{"document": merchants.Malformed}},
		"a website of another scheme": {func(f *merchants.AccessForm) { f.Website = "javascript://alert.example" },
			merchants.Invalid{"website": merchants.Malformed}},
		"a website with a name": {func(f *merchants.AccessForm) { f.Website = "https://ana:x@aurora.example" },
			merchants.Invalid{"website": merchants.Malformed}},
		"a website of one word": {func(f *merchants.AccessForm) { f.Website = "localhost" },
			merchants.Invalid{"website": merchants.Malformed}},
		"a phone with letters": {func(f *merchants.AccessForm) { f.ContactPhone = "0800-GAROUPA" },
			merchants.Invalid{"contactPhone": merchants.Malformed}},
		"too long": {func(f *merchants.AccessForm) { f.LegalName, f.ContactName = long, long },
			merchants.Invalid{"legalName": merchants.TooLong, "contactName": merchants.TooLong}},
		"not text": {func(f *merchants.AccessForm) { f.LegalName, f.Sells = "a\x00b", "\xff" },
			merchants.Invalid{"legalName": merchants.Malformed, "sells": merchants.Malformed}},
		"no money": {func(f *merchants.AccessForm) { f.MonthlyVolume = -1 },
			merchants.Invalid{"monthlyVolume": merchants.Malformed}},
	} {
		in := answers()
		tc.change(&in)
		_, err := g.Merchants.RequestAccess(t.Context(), g.Owner, in)
		var got merchants.Invalid
		errors.As(err, &got)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	in := answers()
	in.Website = "" // Sells is enough
	if _, err := g.Merchants.RequestAccess(t.Context(), g.Owner, in); err != nil {
		t.Error(err)
	}
}

// People without the right to decide are refused, including staff who are members of the
// account.
func TestProductionAccess_Persons(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m := g.Merchants
	reviewer, supervisor, partial := staff(t, g, "rev@example.com", models.StaffReviewer), staff(t, g,
		"sup@example.com", models.StaffSupervisor), staff(t, g, "part@example.com", models.StaffSupervisor)
	member := func(userID string, role models.Role) {
		t.Helper()
		_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO members (account_id, user_id, role)
			VALUES ($1, $2, $3)`, g.Account.ID,
			userID, role)
		if err != nil {
			t.Fatal(err)
		}
	}
	member(partial.UserID, models.RoleViewer)

	developer, err := m.SignUp(t.Context(), newcomer(), "")
	if err != nil {
		t.Fatal(err)
	}
	member(developer.UserID, models.RoleDeveloper)
	by := models.Actor{UserID: developer.UserID, AccountID: g.Account.ID}
	if _, err := m.RequestAccess(t.Context(), by, answers()); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("RequestAccess by a developer: %v", err)
	}
	r := request(t, g)
	if err := m.WithdrawAccessRequest(t.Context(), by); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("WithdrawAccessRequest by a developer: %v", err)
	}
	approve := merchants.AccessDecision{Version: r.Version, Outcome: models.AccessRequestApproved}
	for _, tc := range []struct {
		name   string
		err    error
		refuse error
	}{
		{"the owner decides", m.DecideAccess(t.Context(), g.Owner, r.ID, approve), refusal.New(refusal.Forbidden, "")},
		{"a member who is staff decides", m.DecideAccess(t.Context(), partial, r.ID, approve), merchants.ErrOwnAccount},
		{"a member who is staff suspends", m.SetSwitch(t.Context(), partial, g.Account.ID,
			merchants.SwitchTurn{Switch: models.SwitchSuspended, On: true, Reason: why.Text}), merchants.ErrOwnAccount},
		{"the owner suspends", m.SetSwitch(t.Context(), g.Owner, g.Account.ID,
			merchants.SwitchTurn{Switch: models.SwitchSuspended, On: true, Reason: why.Text}),
			refusal.New(refusal.Forbidden, "")},
		{"staff decide", m.DecideAccess(t.Context(), reviewer, r.ID, approve), nil},
		{"a reviewer revokes", m.RevokeAccess(t.Context(), reviewer, g.Account.ID, lastDecision(t, g), why),
			refusal.New(refusal.Forbidden, "")},
		{"a member who is staff revokes", m.RevokeAccess(t.Context(), partial, g.Account.ID, lastDecision(t, g), why),
			merchants.ErrOwnAccount},
		{"a supervisor revokes", m.RevokeAccess(t.Context(), supervisor, g.Account.ID, lastDecision(t, g), why), nil},
	} {
		if !errors.Is(tc.err, tc.refuse) && (tc.refuse == nil ||
			refusal.Of(tc.err).Code != refusal.Of(tc.refuse).Code || refusal.Of(tc.refuse).Code == refusal.Internal) {
			t.Errorf("%s: %v, want %v", tc.name, tc.err, tc.refuse)
		}
	}
}

// The database enforces that answers and decisions do not change, and which changes of status
// are allowed.
func TestProductionAccess_Schema(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r, by := request(t, g), staff(t, g, "rev@example.com", models.StaffReviewer)
	if err := g.Merchants.SetSwitch(t.Context(), by, g.Account.ID,
		merchants.SwitchTurn{Switch: models.SwitchSuspended, On: true, Reason: why.Text}); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.DecideAccess(t.Context(), by, r.ID,
		merchants.AccessDecision{Version: 1, Outcome: "REJECTED", Reason: why}); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(1e9)
	pending := request(t, g)
	for sql, want := range map[string]string{
		"UPDATE access_requests SET status = 'APPROVED', version = 3 WHERE id = '" + r.ID +
			"'": "access_requests_transition",
		"UPDATE access_requests SET status = 'APPROVED' WHERE id = '" + pending.ID +
			"'": "access_requests_transition",
		"UPDATE access_requests SET status = 'APPROVED', version = 2, monthly_volume = 1 WHERE id = '" +
			pending.ID + "'": "access_requests_pinned",
		"UPDATE access_requests SET document = '52998224725' WHERE id = '" + pending.ID +
			"'": "access_requests_transition",
		"UPDATE access_requests SET answers = '' WHERE id = '" + pending.ID + "'": "access_requests_transition",
		"UPDATE access_requests SET answers = NULL, document_digest = NULL, email_digest = NULL WHERE id = '" +
			pending.ID + "'": "access_requests_transition",
		"UPDATE access_requests SET answers = NULL, document_digest = NULL, email_digest = NULL, sells = 'x' " +
			"WHERE id = '" + r.ID + "'": "access_requests_transition",
		"INSERT INTO access_requests SELECT (jsonb_populate_record(r, jsonb_build_object('id', " +
			"'acr_00000000000000000001', 'status', 'WITHDRAWN'))).* FROM access_requests r WHERE id = '" +
			r.ID + "'": "access_requests_document_check",
		"DELETE FROM access_decisions":           "append-only",
		"UPDATE switch_changes SET reason = 'x'": "append-only",
		"INSERT INTO access_decisions (account_id, outcome, decided_by, decided_at) SELECT id, 'REJECTED', '" +
			by.UserID + "', now() FROM accounts": "access_decisions_reason",
		`INSERT INTO access_requests (id, account_id, legal_name, document, monthly_volume, contact_name, contact_email,
			contact_phone, submitted_by, submitted_at, updated_at, sells)
			SELECT 'acr_00000000000000000000', account_id, legal_name, '52998224725', monthly_volume, contact_name,
				contact_email, contact_phone, submitted_by, submitted_at, updated_at, sells
			FROM access_requests WHERE status = 'PENDING_REVIEW'`: models.AccessRequestOnePending,
	} {
		if _, err := g.DB.Pool.Exec(t.Context(), sql); err == nil ||
			!strings.Contains(err.Error(), want) && !models.Violates(err, want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
