package bacen_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

func TestPutCharge(t *testing.T) {
	t.Parallel()
	p := play(t, answer(201, cob(t, nil)))
	c := charge()
	c.Payer = psp.Person{Name: " Francisco\nda Silva ", Document: "123.456.789-09"}
	c.Description = strings.Repeat("á", 141)
	got, err := p.PutCharge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	created := time.Date(2026, 11, 23, 20, 15, 0, 358e6, time.UTC)
	want := psp.Issued{CopyPaste: code(t, 37_00), CreatedAt: created, PayableUntil: created.Add(time.Hour)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	body := map[string]any{
		"calendario": map[string]any{"expiracao": 3600.}, "chave": pixKey,
		"devedor": map[string]any{"cpf": "12345678909", "nome": "Francisco da Silva"},
		"valor":   map[string]any{"original": "37.00"}, "solicitacaoPagador": strings.Repeat("á", 140),
	}
	if diff := cmp.Diff(body, p.sent(t)); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"PUT /v2/cob/" + txID}, p.seen()); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
}

// A person whom the bank would refuse is left out, so that the charge is not refused.
func TestPutCharge_Payer(t *testing.T) {
	t.Parallel()
	p := play(t, answer(200, cob(t, nil)))
	for _, tc := range []struct {
		payer psp.Person
		want  any
	}{
		{psp.Person{Name: "Ana", Document: "12345678900"}, nil},
		{psp.Person{Document: "12345678909"}, nil},
		{psp.Person{Name: "Loja", Document: "12.ABC.345/01DE-35"},
			map[string]any{"cnpj": "12ABC34501DE35", "nome": "Loja"}},
	} {
		c := charge()
		c.Payer = tc.payer
		if _, err := p.PutCharge(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, p.sent(t)["devedor"]); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", tc.payer, diff)
		}
	}
}

func TestPutCharge_NotSent(t *testing.T) {
	t.Parallel()
	p := play(t, answer(500, ""))
	for _, change := range []func(*psp.Charge){
		func(c *psp.Charge) { c.TxID = "short" }, func(c *psp.Charge) { c.Amount = 0 },
		func(c *psp.Charge) { c.Amount = 1_000_000_000_000 }, func(c *psp.Charge) { c.ExpiresIn = time.Millisecond },
	} {
		c := charge()
		change(&c)
		_, err := p.PutCharge(t.Context(), c)
		kind(t, err, psp.Invalid)
	}
	if len(p.seen()) > 0 {
		t.Errorf("the bank was asked: %v", p.seen())
	}
}

// Banks put the code in different members, or leave it to be built from the location.
func TestPutCharge_Code(t *testing.T) {
	t.Parallel()
	text, inLoc := code(t, 37_00), map[string]any{"location": "banco.example/1"}
	for name, change := range map[string]map[string]any{
		"brcode":              {"pixCopiaECola": nil, "brcode": text},
		"spaces around":       {"pixCopiaECola": " " + text + "\n"},
		"code without amount": {"pixCopiaECola": code(t, 0)},
		"location":            {"pixCopiaECola": nil},
		"empty code":          {"pixCopiaECola": ""},
		"location with https": {"pixCopiaECola": nil, "location": "https://banco.example/qr/v2/1"},
		"location in loc":     {"pixCopiaECola": nil, "location": nil, "loc": inLoc},
	} {
		p := play(t, answer(201, cob(t, change)))
		got, err := p.PutCharge(t.Context(), charge())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read, err := pix.Parse(got.CopyPaste)
		if err != nil || !strings.HasPrefix(read.Location, "banco.example/") {
			t.Errorf("%s: %q, %v", name, got.CopyPaste, err)
		}
	}
}

// An answer that is not about the charge, or with a code that cannot be paid, is not believed.
func TestPutCharge_Protocol(t *testing.T) {
	t.Parallel()
	static, err := pix.Encode(pix.Code{Key: pixKey, Amount: 37_00, MerchantName: "LOJA", MerchantCity: "RIO"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ body, detail string }{
		"amount":        {cob(t, map[string]any{"valor": map[string]any{"original": "37.01"}}), "37.01"},
		"key":           {cob(t, map[string]any{"chave": "loja@example.com"}), "another Pix key"},
		"charge":        {cob(t, map[string]any{"txid": strings.Repeat("a", 32)}), "another charge"},
		"status":        {cob(t, map[string]any{"status": "PAGA"}), "PAGA"},
		"no amount":     {cob(t, map[string]any{"valor": nil}), "no amount"},
		"code's amount": {cob(t, map[string]any{"pixCopiaECola": code(t, 36_00)}), "36.00"},
		"checksum":      {cob(t, map[string]any{"pixCopiaECola": code(t, 37_00)[:100] + "630400AA"}), "cannot be read"},
		"static code":   {cob(t, map[string]any{"pixCopiaECola": static}), "static"},
		"no code":       {cob(t, map[string]any{"pixCopiaECola": nil, "location": nil}), "neither"},
		"HTML":          {"<html>Welcome</html>", "HTML"},
		"no JSON":       {"{", "JSON"},
		"a list":        {"[]", "shape"},
		"bad time":      {cob(t, map[string]any{"calendario": map[string]any{"criacao": "yesterday"}}), "a time"},
		"bad amount":    {cob(t, map[string]any{"valor": map[string]any{"original": "37,00"}}), "an amount"},
	} {
		_, err := play(t, answer(201, tc.body)).PutCharge(t.Context(), charge())
		if e := kind(t, err, psp.Protocol); !strings.Contains(e.Detail, tc.detail) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The same charge, as other banks would write it.
func TestCharge_Lenient(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 11, 23, 20, 15, 0, 0, time.UTC)
	calendar := func(created, expiration any) map[string]any {
		return map[string]any{"criacao": created, "expiracao": expiration, "unknown": 1}
	}
	utc := calendar("2026-11-23T20:15:00Z", 3600)
	for name, change := range map[string]map[string]any{
		"as API Pix":       {"calendario": utc},
		"quoted integers":  {"calendario": calendar("2026-11-23T20:15:00Z", "3600"), "revisao": "0"},
		"without zone":     {"calendario": calendar("2026-11-23T17:15:00", 3600.0)},
		"zone, no colon":   {"calendario": calendar("2026-11-23T17:15:00.000-0300", 3600)},
		"amount as number": {"calendario": utc, "valor": map[string]any{"original": 37}},
		"unknown members":  {"calendario": utc, "rec": []int{1}, "loc": nil, "devedor": nil},
		"no txid, no key":  {"calendario": utc, "txid": nil, "chave": nil},
	} {
		got, err := play(t, answer(200, cob(t, change))).Charge(t.Context(), txID)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := psp.ChargeState{Status: psp.ChargeActive, RawStatus: "ATIVA", Key: pixKey, CopyPaste: code(t, 37_00),
			Amount: 37_00, CreatedAt: created, PayableUntil: created.Add(time.Hour)}
		if strings.Contains(name, "no key") {
			want.Key = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestCharge_Status(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]psp.ChargeStatus{
		"ATIVA": psp.ChargeActive, "CONCLUIDA": psp.ChargePaid, "REMOVIDA_PELO_USUARIO_RECEBEDOR": psp.ChargeRemoved,
		"REMOVIDA_PELO_PSP": psp.ChargeRemoved, "REMOVIDO_PELO_PSP": psp.ChargeRemoved, "EM_ANALISE": psp.ChargeUnknown,
		"": psp.ChargeUnknown,
	} {
		got, err := play(t, answer(200, cob(t, map[string]any{"status": word}))).Charge(t.Context(), txID)
		if err != nil || got.Status != want || got.RawStatus != word {
			t.Errorf("%q: %+v, %v", word, got, err)
		}
	}
}

// A code that cannot be paid does not hide that the charge was paid.
func TestCharge_Paid(t *testing.T) {
	t.Parallel()
	returned := map[string]any{"id": "d1", "rtrId": "D1", "valor": 7.5, "status": "NAO_REALIZADO",
		"motivo": "CPF 12345678909", "natureza": "MED_FRAUDE",
		"horario": map[string]any{"solicitacao": "2026-11-24T20:20:00Z"}}
	p := play(t, answer(200, cob(t, map[string]any{"status": "CONCLUIDA", "pixCopiaECola": "broken",
		"pix": map[string]any{"endToEndId": "E12345678202009091221abcdef12345", "valor": "37.00",
			"horario": "2026-11-23T20:20:00Z", "devolucoes": returned}})))
	got, err := p.Charge(t.Context(), txID)
	if err != nil {
		t.Fatal(err)
	}
	paid := time.Date(2026, 11, 23, 20, 20, 0, 0, time.UTC)
	want := []psp.Payment{{EndToEndID: "E12345678202009091221abcdef12345", TxID: txID, Amount: 37_00, PaidAt: paid,
		Returns: []psp.Return{{ID: "d1", RtrID: "D1", Amount: 7_50, Status: psp.TransferRefused,
			RawStatus: "NAO_REALIZADO", Reason: "CPF ***", Nature: "MED_FRAUDE", AskedAt: paid.Add(24 * time.Hour)}}}}
	if diff := cmp.Diff(want, got.Payments); diff != "" || got.Status != psp.ChargePaid || got.CopyPaste != "" {
		t.Errorf("%+v (-want +got)\n%s", got, diff)
	}
	if !got.Payments[0].Returns[0].Disputed() {
		t.Error("a return of MED is not disputed")
	}
}

// Sicredi has another version for one resource, and others want headers and parameters.
func TestCall_Profile(t *testing.T) {
	t.Parallel()
	p := play(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-App") != "key1-loja" || r.Header.Get("X-Conta") != "" || r.URL.Query().Get("app") != "key1" {
			t.Errorf("headers %v, query %q", r.Header, r.URL.RawQuery)
		}
		answer(200, cob(t, nil))(w, r)
	}, func(o *bacen.Options) {
		o.Profile.Versions = map[string]string{"cob": "v3", "*": "v2"}
		o.Profile.Headers = map[string]string{"X-App": "{app_key}-{client_id}", "X-Conta": "{conta}"}
		o.Profile.Query = map[string]string{"app": "{app_key}"}
		o.Values = map[string]string{"app_key": "key1", "conta": ""}
	})
	_, _ = p.Charge(t.Context(), txID)
	_, _ = p.Payment(t.Context(), "E1")
	if diff := cmp.Diff([]string{"GET /v2/v3/cob/" + txID, "GET /v2/v2/pix/E1"}, p.seen()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
