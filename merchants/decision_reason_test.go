package merchants_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// savedReasons lists the texts of the live reasons of a kind.
func savedReasons(t *testing.T, g *paymentstest.Gateway, kind models.ReasonKind) (texts []string) {
	t.Helper()
	saved, err := models.DecisionReasons(t.Context(), g.DB.Pool, kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range saved {
		texts = append(texts, r.Text)
	}
	return texts
}

// A supervisor saves, rewords and retires reasons, which the audit log has; others do not.
func TestReasons(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := newStaff(t, g, "a@staff.example", models.StaffSupervisor)
	const first, second = "Os documentos não conferem.", "O titular não é o da empresa."
	if err := g.Merchants.SaveReason(t.Context(), by, models.ReasonAccess, "  "+first+"\r\n"); err != nil {
		t.Fatal(err)
	}
	for _, other := range []models.Actor{newStaff(t, g, "b@staff.example", models.StaffReviewer), g.Owner, {}} {
		id := modelstest.One[string](t, g.DB, "SELECT id FROM decision_reasons")
		for what, err := range map[string]error{
			"save":   g.Merchants.SaveReason(t.Context(), other, models.ReasonAccess, second),
			"edit":   g.Merchants.EditReason(t.Context(), other, id, 1, second),
			"retire": g.Merchants.RetireReason(t.Context(), other, id, 1),
		} {
			if refusal.Of(err).Code != refusal.Forbidden {
				t.Errorf("%s by %q: %v", what, other.UserID, err)
			}
		}
	}
	id := modelstest.One[string](t, g.DB, "SELECT id FROM decision_reasons")
	if err := g.Merchants.EditReason(t.Context(), by, id, 1, second); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.EditReason(t.Context(), by, id, 1, first); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("the version of before: %v", err)
	}
	if got := savedReasons(t, g, models.ReasonAccess); !reflect.DeepEqual(got, []string{second}) {
		t.Errorf("saved are %q", got)
	}
	if err := g.Merchants.RetireReason(t.Context(), by, id, 2); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.EditReason(t.Context(), by, id, 3, first); !errors.Is(err, merchants.ErrChanged) {
		t.Errorf("a retired reason: %v", err)
	}
	if _, err := models.LiveReason(t.Context(), g.DB.Pool, id); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a retired reason can be picked: %v", err)
	}
	if err := g.Merchants.RetireReason(t.Context(), by, "rsn_00000000000000000000", 1); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("no such reason: %v", err)
	}
	const acts = "SELECT string_agg(action || ' ' || coalesce(after->>'text', ''), ', ' ORDER BY id) FROM audit_log " +
		"WHERE action LIKE 'reason.%'"
	if got := modelstest.One[string](t, g.DB, acts); got !=
		"reason.saved "+first+", reason.edited "+second+", reason.retired " {
		t.Errorf("the audit log has %s", got)
	}
}

// A kind has a text once, until it is retired, and at most MostReasons; other kinds are apart.
func TestReasons_Bounds(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := newStaff(t, g, "a@staff.example", models.StaffSupervisor)
	save := func(kind models.ReasonKind, text string) error {
		return g.Merchants.SaveReason(t.Context(), by, kind, text)
	}
	for text, field := range map[string]string{"curto": "text", strings.Repeat("é", 501): "text", "": "text"} {
		var problems merchants.Invalid
		if err := save(models.ReasonFee, text); !errors.As(err, &problems) || problems[field] != merchants.Malformed {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if err := save("other", paymentstest.Reason); !reflect.DeepEqual(err,
		merchants.Invalid{"kind": merchants.Unknown}) {
		t.Errorf("no such kind: %v", err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if err := save(models.ReasonFee, paymentstest.Reason); err != nil &&
				!reflect.DeepEqual(err, merchants.Invalid{"text": merchants.Taken}) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for n := range models.MostReasons + 3 {
		all.Go(func() {
			if err := save(models.ReasonFee, fmt.Sprintf("O motivo número %d.", n)); err != nil &&
				!reflect.DeepEqual(err, merchants.Invalid{"text": merchants.TooLong}) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := savedReasons(t, g, models.ReasonFee); len(got) != models.MostReasons {
		t.Errorf("%d are saved", len(got))
	}
	if err := save(models.ReasonName, paymentstest.Reason); err != nil {
		t.Errorf("another kind: %v", err)
	}
	const retired = "SELECT id FROM decision_reasons WHERE kind = 'fee' AND text = $1"
	id := modelstest.One[string](t, g.DB, retired, paymentstest.Reason)
	if err := g.Merchants.RetireReason(t.Context(), by, id, 1); err != nil {
		t.Fatal(err)
	}
	if err := save(models.ReasonFee, paymentstest.Reason); err != nil {
		t.Errorf("in the place of a retired one: %v", err)
	}
	another := modelstest.One[string](t, g.DB, "SELECT id FROM decision_reasons WHERE text = 'O motivo número 1.' "+
		"UNION SELECT id FROM decision_reasons WHERE text = 'O motivo número 2.' LIMIT 1")
	if err := g.Merchants.EditReason(t.Context(), by, another, 1, paymentstest.Reason); !reflect.DeepEqual(err,
		merchants.Invalid{"text": merchants.Taken}) {
		t.Errorf("reworded as another: %v", err)
	}
}
