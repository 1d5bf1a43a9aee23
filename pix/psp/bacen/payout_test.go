package bacen_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// efi is a played bank with Efí's profile.
func efi(t *testing.T, handle http.HandlerFunc) *played {
	t.Helper()
	return play(t, handle, func(o *bacen.Options) { o.Profile = profile(t, "efi") })
}

// A bank can be asked for what it can do by a type assertion.
func TestBank(t *testing.T) {
	t.Parallel()
	for _, want := range []struct{ payer, disputer bool }{{}, {payer: true}, {disputer: true}, {true, true}} {
		bank := play(t, nil, func(o *bacen.Options) {
			o.Profile.Payer = map[bool]string{true: bacen.Efi}[want.payer]
			o.Profile.Disputer = map[bool]string{true: bacen.Efi}[want.disputer]
		}).Bank()
		_, payer := bank.(psp.Payer)
		_, disputer := bank.(psp.Disputer)
		if payer != want.payer || disputer != want.disputer {
			t.Errorf("payer %v, disputer %v, want %+v", payer, disputer, want)
		}
	}
}

func payout() psp.Payout {
	return psp.Payout{ID: "wdr1n1", Key: "ana@example.com", Document: "12345678909", Amount: 50_00, Note: "Saque"}
}

func TestSend(t *testing.T) {
	t.Parallel()
	p := efi(t, answer(201, `{"idEnvio":"wdr1n1","e2eId":"E1","valor":"50.00","status":"EM_PROCESSAMENTO",
		"horario":{"solicitacao":"2026-11-23T20:15:00Z"}}`))
	got, err := p.Bank().(psp.Payer).Send(t.Context(), payout())
	want := psp.Sent{ID: "wdr1n1", EndToEndID: "E1", Status: psp.TransferProcessing, RawStatus: "EM_PROCESSAMENTO",
		Amount: 50_00, AskedAt: time.Date(2026, 11, 23, 20, 15, 0, 0, time.UTC)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	body := map[string]any{"valor": "50.00", "pagador": map[string]any{"chave": pixKey, "infoPagador": "Saque"},
		"favorecido": map[string]any{"chave": "ana@example.com", "cpf": "12345678909"}}
	if diff := cmp.Diff(body, p.sent(t)); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"PUT /v3/gn/pix/wdr1n1"}, p.seen()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Whatever happens after the request left, a payout is sent once, and its error does not say that
// nothing was sent.
func TestSend_Once(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		kind   psp.Kind
	}{
		"lost":           {lost, psp.Ambiguous},
		"500":            {answer(500, ""), psp.Ambiguous},
		"503":            {answer(503, ""), psp.Ambiguous},
		"HTML":           {answer(200, "<html>"), psp.Ambiguous},
		"another amount": {answer(201, `{"idEnvio":"wdr1n1","valor":"5.00"}`), psp.Ambiguous},
		"another payout": {answer(201, `{"idEnvio":"x","valor":"50.00"}`), psp.Ambiguous},
		"limited":        {limited("1"), psp.Limited},
		"refused":        {answer(400, `{"nome":"saldo_insuficiente","mensagem":"x"}`), psp.Invalid},
		"id used":        {answer(409, `{"nome":"id_envio_duplicado","mensagem":"x"}`), psp.Conflict},
		"no body":        {answer(202, ""), ""},
	} {
		p := efi(t, tc.answer)
		got, err := p.Bank().(psp.Payer).Send(t.Context(), payout())
		if tc.kind != "" {
			kind(t, err, tc.kind)
		} else if err != nil || got.Status != psp.TransferUnknown {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if len(p.seen()) != 1 {
			t.Errorf("%s: calls %v", name, p.seen())
		}
	}
	p := efi(t, nil)
	for _, change := range []func(*psp.Payout){
		func(p *psp.Payout) { p.ID = "a/b" }, func(p *psp.Payout) { p.ID = strings.Repeat("a", 36) },
		func(p *psp.Payout) { p.Amount = 0 }, func(p *psp.Payout) { p.Key = "" },
		func(p *psp.Payout) { p.Document = "1" },
	} {
		wrong := payout()
		change(&wrong)
		_, err := p.Bank().(psp.Payer).Send(t.Context(), wrong)
		kind(t, err, psp.Invalid)
	}
	if len(p.seen()) > 0 {
		t.Errorf("calls %v", p.seen())
	}
}

func TestSent(t *testing.T) {
	t.Parallel()
	p := efi(t, answer(200, `{"endToEndId":"E1","idEnvio":"wdr1n1","valor":"50.00","chave":"k","status":"REALIZADO",
		"horario":{"solicitacao":"2026-11-23T20:15:00Z","liquidacao":"2026-11-23T20:15:02Z"},
		"devolucoes":[{"id":"d1","rtrId":"D1","valor":"20.00","status":"DEVOLVIDO"}]}`))
	got, err := p.Bank().(psp.Payer).Sent(t.Context(), "wdr1n1")
	at := time.Date(2026, 11, 23, 20, 15, 0, 0, time.UTC)
	want := psp.Sent{ID: "wdr1n1", EndToEndID: "E1", Status: psp.TransferDone, RawStatus: "REALIZADO", Amount: 50_00,
		AskedAt: at, EndedAt: at.Add(2 * time.Second), Returns: []psp.Return{
			{ID: "d1", RtrID: "D1", Amount: 20_00, Status: psp.TransferDone, RawStatus: "DEVOLVIDO"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"GET /v2/gn/pix/enviados/id-envio/wdr1n1"}, p.seen()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, err = efi(t, answer(404, "")).Bank().(psp.Payer).Sent(t.Context(), "wdr1n1")
	kind(t, err, psp.NotFound)
}

func TestDisputes(t *testing.T) {
	t.Parallel()
	page := func(ref, status string) http.HandlerFunc {
		return answer(200, `{"parametros":{"paginacao":{"quantidadeDePaginas":2,"quantidadeTotalDeItens":2}},
			"infracoes":[{"idInfracao":"`+ref+`","endToEndId":"E1","valor":37.5,"status":"`+status+`",
			"razao":"FRAUDE","protocolo":1,
			"dadosAnalise":{"abertura":"2026-11-23T20:15:00Z","prazoFinalizacao":"2026-11-28T20:15:00Z"}}]}`)
	}
	p := efi(t, script(page("d2c8-1", "EM_DEFESA"), page("d2c8-2", "ABERTA")))
	got, err := p.Bank().(psp.Disputer).Disputes(t.Context(), p.Clock.Now().AddDate(0, 0, -90))
	at := time.Date(2026, 11, 23, 20, 15, 0, 0, time.UTC)
	one := psp.Dispute{Ref: "d2c8-1", EndToEndID: "E1", Cause: "FRAUDE", Status: psp.DisputeDefended,
		RawStatus: "EM_DEFESA", Amount: 37_50, OpenedAt: at, AnswerBy: at.AddDate(0, 0, 5)}
	two := one
	two.Ref, two.Status, two.RawStatus = "d2c8-2", psp.DisputeOpen, "ABERTA"
	if diff := cmp.Diff([]psp.Dispute{one, two}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for word, want := range map[string]psp.DisputeStatus{"ACEITA": psp.DisputeLost, "REJEITADA": psp.DisputeWon,
		"CANCELADA_EFI": psp.DisputeWon, "OUTRA": psp.DisputeUnknown} {
		got, err := efi(t, page("a", word)).Bank().(psp.Disputer).Disputes(t.Context(), at)
		if err != nil || got[0].Status != want {
			t.Errorf("%s: %+v, %v", word, got, err)
		}
	}
}

func TestDefend(t *testing.T) {
	t.Parallel()
	p := efi(t, script(answer(201, ""), lost))
	disputer := p.Bank().(psp.Disputer)
	if err := disputer.Defend(t.Context(), "d2c8-1", "Entregue."); err != nil {
		t.Error(err)
	}
	if got := p.sent(t); got["analise"] != "rejeitado" || got["justificativa"] != "Entregue." {
		t.Errorf("sent %v", got)
	}
	kind(t, disputer.Defend(t.Context(), "d2c8-1", "Entregue."), psp.Ambiguous)
	kind(t, disputer.Defend(t.Context(), "../x", "Entregue."), psp.Invalid)
	kind(t, disputer.Defend(t.Context(), "d2c8-1", " "), psp.Invalid)
	if seen := p.seen(); len(seen) != 2 || seen[0] != "POST /v2/gn/infracoes/d2c8-1/defesa" {
		t.Errorf("calls %v", seen)
	}
}
