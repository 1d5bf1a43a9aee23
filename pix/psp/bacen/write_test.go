package bacen_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/pix/psp"
)

const violations = `{"type":"https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida","title":"Cobrança inválida.",
	"status":"400","detail":"CPF 123.456.789-09","violacoes":[
	{"razao":"O campo não respeita o schema.","propriedade":"cob.valor.original","valor":"secret"}]}`

func TestPutCharge_Write(t *testing.T) {
	t.Parallel()
	const thrice = "PUT GET PUT GET PUT GET"
	created, there := answer(201, cob(t, nil)), answer(200, cob(t, nil))
	other := answer(200, cob(t, map[string]any{"valor": map[string]any{"original": "1.00"}}))
	missing := answer(404, `{"type":"https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado","title":"x","status":404}`)
	conflict := answer(409, `{"nome":"txid_duplicado","mensagem":"x"}`)
	notActive := answer(400, `{"type":"https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida",
		"violacoes":[{"propriedade":"cob.status"}]}`)
	failing, busy := answer(500, ""), answer(503, "<html>")
	paid := answer(200, cob(t, map[string]any{"status": "CONCLUIDA"}))
	removed := answer(200, cob(t, map[string]any{"status": "REMOVIDA_PELO_PSP"}))
	type handlers = []http.HandlerFunc
	never := handlers{conflict, missing, conflict, missing, conflict, missing}
	for name, tc := range map[string]struct {
		answers handlers
		calls   string
		kind    psp.Kind
	}{
		"at once":                 {handlers{created}, "PUT", ""},
		"lost, there":             {handlers{lost, there}, "PUT GET", ""},
		"lost, not there":         {handlers{lost, missing, created}, "PUT GET PUT", ""},
		"500 but done":            {handlers{failing, there}, "PUT GET", ""},
		"500 and not done":        {handlers{failing, missing, created}, "PUT GET PUT", ""},
		"no body":                 {handlers{answer(204, ""), there}, "PUT GET", ""},
		"lost thrice":             {handlers{lost, missing, lost, missing, lost, missing}, thrice, psp.Ambiguous},
		"lost, cannot be read":    {handlers{lost, busy}, "PUT GET GET GET", psp.Ambiguous},
		"lost, another there":     {handlers{lost, other}, "PUT GET", psp.Conflict},
		"409, ours":               {handlers{conflict, there}, "PUT GET", ""},
		"409, another":            {handlers{conflict, other}, "PUT GET", psp.Conflict},
		"409, not visible yet":    {handlers{conflict, missing, conflict, there}, "PUT GET PUT GET", ""},
		"409, never visible":      {never, thrice, psp.Ambiguous},
		"400, not active, ours":   {handlers{notActive, paid}, "PUT GET", ""},
		"400, not active, hidden": {handlers{notActive, missing, created}, "PUT GET PUT", ""},
		"400, removed":            {handlers{notActive, removed}, "PUT GET", psp.Conflict},
		"400, invalid":            {handlers{answer(400, violations), missing}, "PUT GET", psp.Invalid},
		"403":                     {handlers{answer(403, "")}, "PUT", psp.Forbidden},
		"redirect":                {handlers{redirect}, "PUT", psp.Protocol},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, script(tc.answers...))
			issued, err := p.PutCharge(t.Context(), charge())
			if tc.kind == "" && (err != nil || issued.CopyPaste != code(t, 37_00)) {
				t.Errorf("%+v, %v", issued, err)
			} else if tc.kind != "" {
				kind(t, err, tc.kind)
			}
			var methods []string
			for _, c := range p.seen() {
				method, path, _ := strings.Cut(c, " ")
				if methods = append(methods, method); path != "/v2/cob/"+txID {
					t.Errorf("the bank was asked for %s", path)
				}
			}
			if strings.Join(methods, " ") != tc.calls {
				t.Errorf("calls %v, want %v", methods, tc.calls)
			}
			if strings.Contains(p.Log.String(), "secret") || strings.Contains(p.Log.String(), pixKey) {
				t.Errorf("the log has a secret: %s", p.Log)
			}
		})
	}
}

func redirect(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
}

// The error of a refusal names the fields, without values and documents.
func TestPutCharge_Violations(t *testing.T) {
	t.Parallel()
	_, err := play(t, script(answer(400, violations), answer(404, ""))).PutCharge(t.Context(), charge())
	e := kind(t, err, psp.Invalid)
	want := "bank: put charge: invalid, the institution refused (400 CobOperacaoInvalida): CPF ***; cob.valor.original"
	if e.Error() != want {
		t.Errorf("got  %q\nwant %q", e, want)
	}
}

func TestRemoveCharge(t *testing.T) {
	t.Parallel()
	state := func(status string) http.HandlerFunc { return answer(200, cob(t, map[string]any{"status": status})) }
	removed, active, paid := state("REMOVIDA_PELO_USUARIO_RECEBEDOR"), state("ATIVA"), state("CONCLUIDA")
	refusal := answer(400, `{"erros":[{"codigo":"4","mensagem":"cobrança não ativa"}]}`)
	for name, tc := range map[string]struct {
		answers []http.HandlerFunc
		want    psp.ChargeStatus
		kind    psp.Kind
		calls   int
	}{
		"at once":          {[]http.HandlerFunc{removed}, psp.ChargeRemoved, "", 1},
		"lost, done":       {[]http.HandlerFunc{lost, removed}, psp.ChargeRemoved, "", 2},
		"lost, not done":   {[]http.HandlerFunc{lost, active, removed}, psp.ChargeRemoved, "", 3},
		"lost, paid":       {[]http.HandlerFunc{lost, paid}, psp.ChargePaid, "", 2},
		"paid before":      {[]http.HandlerFunc{refusal, paid}, psp.ChargePaid, "", 2},
		"removed before":   {[]http.HandlerFunc{answer(409, ""), removed}, psp.ChargeRemoved, "", 2},
		"refused":          {[]http.HandlerFunc{refusal, active}, "", psp.Invalid, 2},
		"conflict, active": {[]http.HandlerFunc{answer(409, ""), active}, "", psp.Conflict, 2},
		"never existed":    {[]http.HandlerFunc{answer(404, "")}, "", psp.NotFound, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, script(tc.answers...))
			got, err := p.RemoveCharge(t.Context(), txID)
			if tc.kind != "" {
				kind(t, err, tc.kind)
			} else if err != nil || got.Status != tc.want {
				t.Errorf("%+v, %v", got, err)
			}
			if len(p.seen()) != tc.calls {
				t.Errorf("calls %v", p.seen())
			}
			if body := p.sent(t); len(body) != 1 || body["status"] != "REMOVIDA_PELO_USUARIO_RECEBEDOR" {
				t.Errorf("sent %v", body)
			}
		})
	}
}

const endToEndID = "E12345678202009091221abcdef12345"

func TestPutReturn(t *testing.T) {
	t.Parallel()
	body := `{"id":"rfd1","rtrId":"D1","valor":"7.89","horario":{"solicitacao":"2026-11-23T20:15:00Z"},
		"status":"EM_PROCESSAMENTO"}`
	created, there := answer(201, body), answer(200, body)
	other := answer(200, strings.Replace(body, "7.89", "9.00", 1))
	missing := answer(404, "")
	used := answer(400, `{"type":"https://pix.bcb.gov.br/api/v2/error/PixDevolucaoInvalida","violacoes":[
		{"propriedade":"id"}]}`)
	tooMuch := answer(400, `{"type":"https://pix.bcb.gov.br/api/v2/error/PixDevolucaoInvalida","violacoes":[
		{"propriedade":"devolucao.valor"}]}`)
	type handlers = []http.HandlerFunc
	for name, tc := range map[string]struct {
		answers handlers
		kind    psp.Kind
		calls   int
	}{
		"at once":               {[]http.HandlerFunc{created}, "", 1},
		"lost, there":           {[]http.HandlerFunc{lost, there}, "", 2},
		"lost, not there":       {[]http.HandlerFunc{lost, missing, created}, "", 3},
		"id used, ours":         {[]http.HandlerFunc{used, there}, "", 2},
		"id used, another":      {[]http.HandlerFunc{used, other}, psp.Conflict, 2},
		"409, another":          {[]http.HandlerFunc{answer(409, ""), other}, psp.Conflict, 2},
		"refused":               {[]http.HandlerFunc{tooMuch, missing}, psp.Invalid, 2},
		"lost, then refused":    {handlers{lost, missing, tooMuch, missing}, psp.Ambiguous, 4},
		"lost, refused, there":  {handlers{lost, missing, tooMuch, there}, "", 4},
		"lost, refused, silent": {handlers{lost, missing, tooMuch, lost, lost, lost}, psp.Ambiguous, 6},
		"409, then refused":     {handlers{answer(409, ""), missing, tooMuch, missing}, psp.Ambiguous, 4},
		"answer of another":     {[]http.HandlerFunc{other}, psp.Protocol, 1},
		"another return":        {handlers{answer(201, strings.Replace(body, "rfd1", "rfd2", 1))}, psp.Protocol, 1},
		"unknown Pix":           {[]http.HandlerFunc{missing}, psp.NotFound, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, script(tc.answers...))
			got, err := p.PutReturn(t.Context(), endToEndID, "rfd1", 7_89)
			asked := time.Date(2026, 11, 23, 20, 15, 0, 0, time.UTC)
			if tc.kind != "" {
				kind(t, err, tc.kind)
			} else if want := (psp.Return{ID: "rfd1", RtrID: "D1", Status: psp.TransferProcessing,
				RawStatus: "EM_PROCESSAMENTO", Amount: 7_89, AskedAt: asked}); err != nil || got != want {
				t.Errorf("%+v, %v", got, err)
			}
			if seen := p.seen(); len(seen) != tc.calls || seen[0] != "PUT /v2/pix/"+endToEndID+"/devolucao/rfd1" {
				t.Errorf("calls %v", seen)
			}
			if sent := p.sent(t); len(sent) != 1 || sent["valor"] != "7.89" {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

// Ids that would lead to another resource never become a URL.
func TestIDs_NotSent(t *testing.T) {
	t.Parallel()
	p := play(t, answer(200, "{}"))
	for _, id := range []string{"", "..", "a/b", "a?b", "é", strings.Repeat("a", 65)} {
		_, err := p.Payment(t.Context(), id)
		kind(t, err, psp.Invalid)
		_, err = p.Return(t.Context(), endToEndID, id)
		kind(t, err, psp.Invalid)
		_, err = p.PutReturn(t.Context(), id, "rfd1", 1)
		kind(t, err, psp.Invalid)
		_, err = p.Charge(t.Context(), id)
		kind(t, err, psp.Invalid)
		_, err = p.RemoveCharge(t.Context(), id)
		kind(t, err, psp.Invalid)
	}
	if len(p.seen()) > 0 {
		t.Errorf("the bank was asked: %v", p.seen())
	}
}

// A caller that gives up while the bank works does not know whether the charge exists.
func TestPutCharge_GivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := play(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := p.PutCharge(ctx, charge())
	if kind(t, err, psp.Ambiguous); !errors.Is(err, context.Canceled) || !errors.Is(err, psp.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if len(p.seen()) != 1 {
		t.Errorf("calls %v", p.seen())
	}
}

// Reading back is a part of the creation, and does not wait behind others after a pause.
func TestPutCharge_ReadBack(t *testing.T) {
	t.Parallel()
	p := play(t, script(lost, limited("2"), answer(200, cob(t, nil))))
	if _, err := p.PutCharge(t.Context(), charge()); err != nil || p.Clock.waited() != 2*time.Second {
		t.Errorf("waited %v: %v", p.Clock.waited(), err)
	}
}

// Callers that give up tell nothing about the bank.
func TestBreaker_GivenUp(t *testing.T) {
	t.Parallel()
	p := play(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.Charge(ctx, txID)
		kind(t, err, psp.Unavailable)
	}
	if since := p.Health().SilentSince; !since.IsZero() {
		t.Errorf("silent since %v", since)
	}
}
