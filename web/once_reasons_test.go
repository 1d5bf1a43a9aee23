package web_test

import (
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// reason saves a reason, and returns its id.
func (d *desk) reason(t *testing.T) string {
	t.Helper()
	text, by := "O motivo "+models.NewReasonID(), models.Actor{UserID: modelstest.One[string](t, d.DB,
		"SELECT min(id) FROM users WHERE staff_role = 'SUPERVISOR'")}
	if err := d.Merchants.SaveReason(t.Context(), by, models.ReasonAccess, text); err != nil {
		t.Fatal(err)
	}
	return modelstest.One[string](t, d.DB, "SELECT id FROM decision_reasons WHERE text = $1", text)
}

// reasonForms are the forms of saved reasons.
var reasonForms = []sentForm{
	{"save a reason", "/ops/motivos", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return d.supervisor, "/ops/motivos", []string{"kind", "fee", "text", "O custo de " + models.NewReasonID()}
	}, act("reason.saved")},
	{"reword a reason", "/ops/motivos/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		id := d.reason(t)
		return d.supervisor, "/ops/motivos/" + id,
			[]string{"kind", "access", "version", "1", "text-" + id, "O contrato de " + id + " venceu."}
	}, act("reason.edited")},
	{"retire a reason", "/ops/motivos/:id/retirar", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return d.supervisor, "/ops/motivos/" + d.reason(t) + "/retirar",
			[]string{"kind", "access", "version", "1"}
	}, act("reason.retired")},
}
