package web_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web"
	"garoupa/web/webtest"
)

// desk is where forms are sent from.
type desk struct {
	*webtest.Site
	reviewer, supervisor, member *webtest.Client
}

// sentForm is a form that is sent more than once.
type sentForm struct {
	name  string
	route string
	// fill makes what the form is about, and fills it in as it is shown.
	fill func(t *testing.T, d *desk) (by *webtest.Client, path string, form []string)
	// count counts what all sendings of such forms did.
	count string
}

// act is how often an act stands in the audit log.
func act(action string) string {
	return "SELECT count(*) FROM audit_log WHERE action = '" + action + "'"
}

// decided fills in a form of the console, as its preview sends it.
func decided(by *webtest.Client, path string, form ...string) (*webtest.Client, string, []string) {
	version := by.Get(path).Find("main input[name=version]").AttrOr("value", "")
	return by, path, append([]string{"version", version, "do", "send"}, form...)
}

// filled fills in a form that has hidden fields.
func filled(by *webtest.Client, page, path string, form ...string) (*webtest.Client, string, []string) {
	key := by.Get(page).Find(`main form[action="`+path+`"] input[name=key]`).AttrOr("value", "")
	return by, path, append([]string{"key", key}, form...)
}

// withdrawn is a withdrawal that has come so far.
func (d *desk) withdrawn(t *testing.T, steps ...string) string {
	t.Helper()
	w, by := d.Withdraw(t, 10_00), d.Staff(t)
	for i, step := range steps {
		var err error
		switch step {
		case "approve":
			_, err = d.ApproveWithdrawal(t.Context(), by, w.ID, i+1)
		case "start":
			_, err = d.StartPayout(t.Context(), by, w.ID, i+1)
		case "complete":
			_, err = d.CompleteWithdrawal(t.Context(), by, w.ID, i+1, payments.Proof{EndToEndID: "E" + w.ID[4:]})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return w.ID
}

// paying is a form of the console about a withdrawal that has come so far.
func paying(form []string, steps ...string) func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
	return func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		id := d.withdrawn(t, steps...)
		if form[1] == "COMPLETE" {
			form = append(form[:2:2], "proof", "E"+id[4:])
		}
		return decided(d.reviewer, "/ops/saques/"+id, form...)
	}
}

// checkoutForm is a form of the dashboard about a test checkout.
func checkoutForm(action string) func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
	return func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return d.member, "/app/cobrancas/" + d.Checkout(t, payments.NewCheckout{}).ID + action, nil
	}
}

// refundForm is the form that gives a part of a paid test checkout back.
func refundForm(t *testing.T, d *desk) (*webtest.Client, string, []string) {
	path := "/app/cobrancas/" + d.Fund(t, models.Test, 100_00).ID + "/devolver"
	return filled(d.member, path, path, "amount", "30,00", "reason", "Do formulário")
}

var formsSent = slices.Concat(reasonForms, []sentForm{
	{"refund", "/ops/cobrancas/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return decided(d.reviewer, "/ops/cobrancas/"+d.Fund(t, models.Live, 200_00).ID,
			"outcome", "REFUND", "amount", "40,00", "reason", "O produto veio quebrado.")
	}, act("payment.refunded")},
	{"accept an exception", "/ops/excecoes/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		n := simulator.Pay("desconhecido0000000000000000", 10_00, d.Clock.Now())
		if err := d.ConfirmPayment(t.Context(), models.Live, n); err != nil {
			t.Fatal(err)
		}
		var id string
		if err := d.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE end_to_end_id = $1",
			n.EndToEndID).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return decided(d.reviewer, "/ops/excecoes/"+id, "outcome", "WRITTEN_OFF", "reason",
			"Ninguém reclamou em 90 dias.")
	}, act("exception.written_off")},
	{"open a dispute", "/ops/disputas/nova", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		var id string
		if err := d.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
			d.Fund(t, models.Live, 10_00).ID).Scan(&id); err != nil {
			t.Fatal(err)
		}
		day := d.Clock.Now().Add(48 * time.Hour).Format(time.DateOnly)
		return d.reviewer, "/ops/disputas/nova", []string{"payment", id, "ref", "MED-" + id, "cause", "Golpe",
			"answerBy", day}
	}, "SELECT count(*) FROM disputes WHERE bank_ref LIKE 'MED-pay%'"},
	{"answer a dispute", "/app/disputas/:id/responder", func(t *testing.T, d *desk) (*webtest.Client, string,
		[]string) {
		return d.member, "/app/disputas/" + d.Contested(t, models.NewPaymentID()).ID + "/responder",
			[]string{"text", "Foi entregue"}
	}, act("dispute.defended")},
	{"close a dispute", "/ops/disputas/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return decided(d.reviewer, "/ops/disputas/"+d.Contested(t, models.NewPaymentID()).ID,
			"outcome", "CLOSE", "reason", "O banco rejeitou a contestação.")
	}, act("dispute.won")},
	{"approve", "/ops/saques/:id", paying([]string{"outcome", "APPROVE"}), act("withdrawal.approved")},
	{"reject", "/ops/saques/:id", paying([]string{"outcome", "REJECT", "reasonCode", "OTHER", "reason",
		"Um motivo bem claro."}), act("withdrawal.rejected")},
	{"start", "/ops/saques/:id", paying([]string{"outcome", "START"}, "approve"), act("withdrawal.processing")},
	{"complete", "/ops/saques/:id", paying([]string{"outcome", "COMPLETE"}, "approve", "start"),
		act("withdrawal.completed")},
	{"fail", "/ops/saques/:id", paying([]string{"outcome", "FAIL", "reasonCode", "OTHER", "reason",
		"Um motivo bem claro."}, "approve"), act("withdrawal.failed")},
	{"return", "/ops/saques/:id", paying([]string{"outcome", "RETURN", "reasonCode", "OTHER", "reason",
		"Um motivo bem claro."}, "approve", "start", "complete"), act("withdrawal.returned")},
	{"approve a destination", "/ops/destinos/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		dest, err := d.RequestDestination(t.Context(), d.Owner, d.Account.ID, payments.NewDestination{
			Rail: models.RailPix, Type: "EMAIL", Address: "ana@aurora.example", HolderName: "Ana Lima",
		})
		if err != nil {
			t.Fatal(err)
		}
		return decided(d.reviewer, "/ops/destinos/"+dest.ID, "outcome", "APPROVE")
	}, act("destination.approved")},
	{"hold", "/ops/contas/:id/bloqueios", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return decided(d.reviewer, "/ops/contas/"+d.Account.ID+"/bloqueios",
			"outcome", "LIVE", "amount", "1,00", "reason", "Contestação 77.")
	}, act("amount.blocked")},
	{"release", "/ops/contas/:id/bloqueios/:block", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		b, err := d.BlockAmount(t.Context(), d.Staff(t), payments.NewBlock{
			AccountID: d.Account.ID, Environment: models.Live, Amount: 1_00, Reason: "Contestação.",
			Seen: modelstest.One[int](t, d.DB, "SELECT count(*) FROM blocked_amounts"),
		})
		if err != nil {
			t.Fatal(err)
		}
		return decided(d.reviewer, "/ops/contas/"+d.Account.ID+"/bloqueios/"+b.ID, "reason", "Contestação negada.")
	}, act("amount.unblocked")},
	{"note", "/ops/contas/:id/notas", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		page := "/ops/contas/" + d.Account.ID
		return filled(d.reviewer, page, page+"/notas", "note", "Liguei para a Ana.")
	}, "SELECT count(*) FROM account_notes"},
	{"turn a switch", "/ops/contas/:id/travas/:switch",
		func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
			path := "/ops/contas/" + d.Account.ID + "/travas/LIVE_BLOCKED"
			modelstest.Exec(t, d.DB, "UPDATE accounts SET live_blocked = false")
			return decided(d.reviewer, path, "turn", "on", "confirm", d.Account.ID[len(d.Account.ID)-4:], "reason",
				"Pedido da Justiça.")
		}, act("switch.turned_on")},
	{"key", "/app/chaves", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return filled(d.member, "/app/chaves/nova", "/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ")
	}, "SELECT count(*) FROM api_keys"},
	{"replace a key", "/app/chaves/:id/trocar", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		key, _, err := d.Merchants.CreateKey(t.Context(), d.Owner, d.Test,
			merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration})
		if err != nil {
			t.Fatal(err)
		}
		path := "/app/chaves/" + key.ID + "/trocar"
		return filled(d.member, path, path, "overlap", "now")
	}, act("api_key.rolled")},
	{"endpoint", "/app/webhooks", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return filled(d.member, "/app/webhooks/novo", "/app/webhooks", "url", "https://hook.example/", "types",
			models.EventCheckoutPaid)
	}, "SELECT count(*) FROM webhook_endpoints"},
	{"product", "/app/produtos", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return filled(d.member, "/app/produtos/novo", "/app/produtos", "name", "Vaso azul", "amount", "10,00",
			"paymentCycle", "ONE_TIME")
	}, "SELECT count(*) FROM products"},
	{"link", "/app/links", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return filled(d.member, "/app/links/novo", "/app/links", "productId", "vaso", "expiresInSeconds", "3600")
	}, "SELECT count(*) FROM payment_links"},
	{"counter link", "/app/links/balcao", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return filled(d.member, "/app/links", "/app/links/balcao")
	}, "SELECT count(*) FROM payment_links"},
	{"checkout", "/app/cobrancas", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return filled(d.member, "/app/cobrancas/nova", "/app/cobrancas", "amount", "10,00", "description", "Um vaso",
			"externalId", "do-formulario", "expiry", "3600")
	}, "SELECT count(*) FROM checkouts WHERE external_id = 'do-formulario'"},
	{"refund a checkout", "/app/cobrancas/:id/devolver", refundForm,
		"SELECT count(*) FROM refunds WHERE reason = 'Do formulário'"},
	{"mail a receipt", "/app/cobrancas/:id/comprovante", receiptForm,
		"SELECT count(*) FROM mails WHERE kind = 'receipt'"},
	{"cancel a checkout", "/app/cobrancas/:id/cancelar", checkoutForm("/cancelar"),
		"SELECT count(*) FROM checkouts WHERE status = 'CANCELLED'"},
	{"pay a checkout", "/app/cobrancas/:id/simular", checkoutForm("/simular"),
		"SELECT count(*) FROM events WHERE type = 'checkout.paid' AND NOT livemode"},
	{"expire a checkout", "/app/cobrancas/:id/expirar", checkoutForm("/expirar"),
		"SELECT count(*) FROM events WHERE type = 'checkout.expired'"},
	{"revoke a key", "/app/chaves/:id/revogar", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		secret := d.Key(t, d.Test, models.PermissionCheckoutRead)
		var id string
		if err := d.DB.Pool.QueryRow(t.Context(), "SELECT id FROM api_keys WHERE last4 = $1 AND revoked_at IS NULL",
			secret[len(secret)-4:]).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return d.member, "/app/chaves/" + id + "/revogar", []string{"confirm", secret[len(secret)-4:]}
	}, act("api_key.revoked")},
	{"invite", "/app/equipe/convites", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		modelstest.Exec(t, d.DB, "UPDATE invites SET revoked_at = now() WHERE revoked_at IS NULL")
		return d.member, "/app/equipe/convites", []string{"email", "bia@example.com", "role", "DEVELOPER"}
	}, act("member.invited")},
})

// formsSentLive are those about live money of the dashboard, which looks at live; and
// those that stop the account, at the end.
var formsSentLive = []sentForm{
	{"withdraw", "/app/saques", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		review := d.member.Get("/app/saques/novo/revisar?rail=BRL_PIX&amount=10,00")
		return d.member, "/app/saques", webtest.HiddenFields(review)
	}, act("withdrawal.requested")},
	{"cancel a withdrawal", "/app/saques/:id/cancelar",
		func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
			return d.member, "/app/saques/" + d.withdrawn(t) + "/cancelar", nil
		}, act("withdrawal.cancelled")},
	{"destination", "/app/saques/destinos", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		modelstest.Exec(t, d.DB, "UPDATE destinations SET status = 'REMOVED', removed_at = now() "+
			"WHERE status = 'PENDING_REVIEW'")
		return d.member, "/app/saques/destinos",
			[]string{"rail", "BRL_PIX", "type", "EMAIL", "address", "ana@aurora.example", "holderName", "Ana Lima"}
	}, act("destination.requested")},
	{"remove a destination", "/app/saques/destinos/:id/remover",
		func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
			modelstest.Exec(t, d.DB, "UPDATE destinations SET status = 'REMOVED', removed_at = now() "+
				"WHERE status = 'PENDING_REVIEW'")
			dest, err := d.RequestDestination(t.Context(), d.Owner, d.Account.ID, payments.NewDestination{
				Rail: models.RailPix, Type: "EMAIL", Address: "ana@aurora.example", HolderName: "Ana Lima",
			})
			if err != nil {
				t.Fatal(err)
			}
			return d.member, "/app/saques/destinos/" + dest.ID + "/remover", nil
		}, act("destination.removed")},
	{"ask for access", "/app/producao/pedido", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		d.access(t, models.AccessNotRequested)
		return d.member, "/app/producao/pedido", webtest.AccessAnswers("send")
	}, act("access.requested")},
	{"withdraw a request", "/app/producao/retirar", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		d.asked(t)
		return d.member, "/app/producao/retirar", nil
	}, act("access.withdrawn")},
	{"decide about access", "/ops/acessos/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return decided(d.reviewer, "/ops/acessos/"+d.asked(t), "outcome", "APPROVED")
	}, act("access.approved")},
	{"take access back", "/ops/contas/:id/encerrar", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		d.access(t, models.AccessApproved)
		return decided(d.supervisor, "/ops/contas/"+d.Account.ID+"/encerrar", "outcome", "REVOKED", "reasonCode",
			"RISK", "reason", "Contestações demais.")
	}, act("access.revoked")},
}

// formsSentTerms are those about the terms of an account.
var formsSentTerms = []sentForm{
	{"propose a fee", "/ops/contas/:id/tarifa", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return d.proposes(t)
	}, act("fee.proposed")},
	{"approve a fee", "/ops/tarifas/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		by, path, form := d.proposes(t)
		return decided(d.supervisor, by.Post(path, form...).Header.Get("Location"), "outcome", "APPROVE")
	}, act("fee.approved")},
	{"approve a name", "/ops/nomes/:id", func(t *testing.T, d *desk) (*webtest.Client, string, []string) {
		return decided(d.supervisor, "/ops/nomes/"+d.NewName(t), "outcome", "APPROVE")
	}, act("account.name_approved")},
	{"set limits", "/ops/contas/:id/limites", func(_ *testing.T, d *desk) (*webtest.Client, string, []string) {
		return decided(d.supervisor, "/ops/contas/"+d.Account.ID+"/limites", "min", "5,00", "reason",
			webtest.TermsReason)
	}, act("limits.changed")},
}

// proposes is the form of a fee for an account that has no proposal waiting.
func (d *desk) proposes(t *testing.T) (*webtest.Client, string, []string) {
	t.Helper()
	modelstest.Exec(t, d.DB, `UPDATE fee_proposals SET status = 'WITHDRAWN', decided_by = proposed_by,
		decided_at = now()
		WHERE status = 'PENDING'`)
	return decided(d.reviewer, "/ops/contas/"+d.Account.ID+"/tarifa", "outcome", "OWN", "percent", "1,49", "fixed",
		"0,10", "withdrawal", "DEFAULT", "reason", webtest.TermsReason)
}

func init() { formsSent = slices.Concat(formsSent, formsSentLive, formsSentTerms) }

// access puts the account at a stage, with no request in progress.
func (d *desk) access(t *testing.T, access models.ProductionAccess) {
	t.Helper()
	for _, statement := range []string{
		"UPDATE access_requests SET status = 'WITHDRAWN', version = version + 1 WHERE status = 'PENDING_REVIEW'",
		"UPDATE accounts SET production_access = '" + string(access) + "'",
	} {
		modelstest.Exec(t, d.DB, statement)
	}
}

// asked is the id of a request for access that waits.
func (d *desk) asked(t *testing.T) string {
	t.Helper()
	d.access(t, models.AccessNotRequested)
	d.Clock.Advance(time.Second) // the newest request is the one that counts
	d.member.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	r, err := models.LatestAccessRequest(t.Context(), d.DB, d.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// Every form does its work once: sent six times at once to two processes, and sent again
// by a person who never got the answer, as the connection to the database broke between
// the commit and its answer.
func TestOnce_FormsSent(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	s := webtest.Serve(t, g, func(*web.Options) {}, func(*api.Options) {})
	s.FundLive(t, 1_000_00)
	vase := merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 10_00, PaymentCycle: "ONE_TIME"}
	if _, err := s.Merchants.CreateProduct(t.Context(), s.Owner, s.Test, vase); err != nil {
		t.Fatal(err)
	}
	d := &desk{Site: s, member: s.Member(t)}
	d.reviewer, _ = s.Console(t, models.StaffReviewer)
	d.supervisor, _ = s.Console(t, models.StaffSupervisor)
	other := s.Another(t)
	t.Cleanup(http.DefaultClient.CloseIdleConnections) // a connection that was dialed and never used keeps a server up
	count := func(f sentForm) (n int) {
		t.Helper()
		if err := s.DB.Pool.QueryRow(t.Context(), f.count).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, f := range formsSent {
		if f.name == "withdraw" {
			s.ToLive(t, d.member)
		}
		by, path, form := f.fill(t, d)
		before := count(f)
		var group sync.WaitGroup
		var done [6]webtest.Answer
		for i := range done {
			through := *by
			if i%2 == 1 {
				through.Base = other.URL
			}
			group.Go(func() { done[i] = through.Post(path, form...) })
		}
		group.Wait()
		for _, a := range done {
			if a.Status >= 500 {
				t.Errorf("%s: %d %s", f.name, a.Status, a.Find("main").Text())
			}
		}
		if n := count(f) - before; n != 1 {
			t.Errorf("%s, six times at once: done %d times: %d %s", f.name, n, done[0].Status,
				done[0].Find("main #errors, main [role=alert]").Text())
		}
		by, path, form = f.fill(t, d)
		before = count(f)
		lost := proxy.Lost()
		proxy.LoseAnswers(1, "commit")
		first := by.Post(path, form...)
		proxy.LoseAnswers(0, "")
		again := by.Post(path, form...)
		if n := count(f) - before; n != 1 || again.Status >= 500 ||
			first.Status == http.StatusOK && proxy.Lost() == lost {
			t.Errorf("%s, its answer lost: done %d times, answered %d, then %d; %d lost", f.name, n, first.Status,
				again.Status, proxy.Lost()-lost)
		}
	}
}
