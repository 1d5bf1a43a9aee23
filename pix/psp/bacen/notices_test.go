package bacen_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

func TestHints(t *testing.T) {
	t.Parallel()
	p := play(t, nil)
	one, back := psp.Hint{TxID: txID, EndToEndID: "E1"}, psp.Hint{TxID: txID, EndToEndID: "E1", ReturnID: "d1"}
	pix := `{"endToEndId":"E1","txid":"` + txID + `","valor":"1.00"`
	for body, want := range map[string][]psp.Hint{
		"": nil, " ": nil, "{}": nil, "[]": nil, `{"pix":null}`: nil, `{"pix":[]}`: nil,
		`{"recs":[{"idRec":"R1"}]}`: nil,
		`{"pix":[` + pix + `}]}`:    {one}, `[` + pix + `}]`: {one}, `{"pix":` + pix + `}}`: {one},
		`{"pix":[{"endToEndId":"E2","valor":"1"}]}`: {{EndToEndID: "E2"}},
		`{"pix":[` + pix + `,"devolucoes":[{"id":"d1"},{"id":"d2"}]}]}`: {
			back, {TxID: txID, EndToEndID: "E1", ReturnID: "d2"}},
		`{"pix":[` + pix + `,"devolucoes":{"id":"d1"}}]}`:              {back},
		`{"pix":[{"endToEndId":"../cob","txid":"a/b"},` + pix + `}]}`:  {one},
		`{"pix":[{"endToEndId":"` + strings.Repeat("E", 65) + `"}]}`:   nil,
		`{"pix":[` + strings.Repeat(pix+"},", 63) + pix + `}],"x":{}}`: nil,
	} {
		got, err := p.Hints([]byte(body))
		if strings.HasSuffix(body, `"x":{}}`) { // 64 in one
			if len(got) != 64 || err != nil {
				t.Errorf("%d hints, %v", len(got), err)
			}
			continue
		}
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", body, err, diff)
		}
	}
	for _, body := range []string{"garbage", "{", `"pix"`, "1", `{"pix":"x"}`, `{"pix":[1]}`, "<html>", "\x00"} {
		_, err := p.Hints([]byte(body))
		kind(t, err, psp.Protocol)
	}
}

func FuzzHints(f *testing.F) {
	for _, seed := range []string{"", "[]", `{"pix":[{"endToEndId":"E1","devolucoes":[{"id":"d"}]}]}`, `{"pix":{}}`} {
		f.Add([]byte(seed))
	}
	client := &bacen.Client{}
	f.Fuzz(func(t *testing.T, body []byte) {
		hints, err := client.Hints(body)
		if err != nil && len(hints) > 0 {
			t.Error("hints beside an error")
		}
		for _, h := range hints {
			if strings.ContainsAny(h.TxID+h.EndToEndID+h.ReturnID, "/.?# ") || h == (psp.Hint{}) {
				t.Errorf("hint %+v", h)
			}
		}
	})
}

func TestRegisterNotices(t *testing.T) {
	t.Parallel()
	const url = "https://notices.example.com/bank/token"
	there := answer(200, `{"webhookUrl":"`+url+`","chave":"`+pixKey+`","criacao":"2026-11-23T20:15:00Z"}`)
	for name, tc := range map[string]struct {
		answers []http.HandlerFunc
		kind    psp.Kind
		calls   int
	}{
		"no body":          {[]http.HandlerFunc{answer(200, ""), there}, "", 2},
		"with a body":      {[]http.HandlerFunc{there}, "", 1},
		"lost":             {[]http.HandlerFunc{lost, there}, "", 2},
		"same URL refused": {[]http.HandlerFunc{answer(400, `{"status":422}`), there}, "", 2},
		"refused":          {[]http.HandlerFunc{answer(400, ""), answer(404, "")}, psp.Invalid, 2},
	} {
		next := script(tc.answers...)
		p := play(t, func(w http.ResponseWriter, r *http.Request) {
			if skip := r.Header.Get("X-Skip"); (r.Method == http.MethodPut) != (skip == "loja") {
				t.Errorf("%s with %q", r.Method, skip)
			}
			next(w, r)
		}, func(o *bacen.Options) { o.Profile.RegisterHeaders = map[string]string{"X-Skip": "{client_id}"} })
		err := p.RegisterNotices(t.Context(), url)
		if tc.kind != "" {
			kind(t, err, tc.kind)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if seen := p.seen(); len(seen) != tc.calls || seen[0] != "PUT /v2/webhook/"+pixKey {
			t.Errorf("%s: calls %v", name, seen)
		}
		if got := p.sent(t); len(got) != 1 || got["webhookUrl"] != url {
			t.Errorf("%s: sent %v", name, got)
		}
	}
}

// A bank that repeats a secret, in whatever field and however far from its beginning, brings it into no error.
func TestErrors_Secrets(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("0123456789abcdef", 4)
	address := "https://notices.example.com/bank/" + token
	for name, said := range map[string]string{
		"type":     `{"type":"` + address + `","status":400}`,
		"name":     `{"nome":"` + token + `"}`,
		"code":     `{"erros":[{"codigo":"` + token + `","mensagem":"` + address + `"}]}`,
		"property": `{"violacoes":[{"propriedade":"` + address + `","razao":"` + address + `"}]}`,
		"cut":      `{"detail":"` + strings.Repeat("x", 190) + token + `"}`,
	} {
		p := play(t, answer(400, said))
		err := p.RegisterNotices(t.Context(), address)
		kind(t, err, psp.Invalid)
		if text := fmt.Sprintf("%+v %s", err, p.Log); strings.Contains(text, token[:8]) {
			t.Errorf("%s: %s", name, text)
		}
	}
	p := play(t, nil)
	p.token = answer(401, `{"error":"invalid_client","error_description":"client-secret é de outro"}`)
	if err := p.RegisterNotices(t.Context(), address); err == nil || strings.Contains(err.Error(), "client-secret") {
		t.Errorf("with the client's secret: %v", err)
	}
}

// findings returns the findings by check, as "ok" or the advice.
func findings(list []psp.Finding) map[string]string {
	found := map[string]string{}
	for _, f := range list {
		if found[f.Check] = f.Text; f.OK {
			found[f.Check] = "ok"
		}
	}
	return found
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const date = "Mon, 23 Nov 2020 20:00:00 GMT"
	const granted = `{"access_token":"a"}`
	none := answer(404, "")
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		token  string
		wrong  map[string]string // by check: a part of the advice
	}{
		"all well":         {answer(200, `{"webhookUrl":"https://a.example/bank/secret"}`), granted, nil},
		"no notices":       {none, granted, nil},
		"key of another":   {answer(403, ""), granted, map[string]string{"key": "belongs", "notices": "before"}},
		"the clock is off": {dated(date, none), granted, map[string]string{"clock": "synchronized"}},
		"scopes": {none, `{"access_token":"a","scope":"cob.read pix.read webhook.read"}`,
			map[string]string{"scopes": "cob.write pix.write"}},
	} {
		p := play(t, tc.answer)
		p.token = func(w http.ResponseWriter, _ *http.Request) {
			if tc.wrong["clock"] != "" {
				w.Header().Set("Date", date)
			}
			io.WriteString(w, tc.token)
		}
		list := p.Check(t.Context())
		if strings.Contains(fmt.Sprint(list), "secret") {
			t.Errorf("%s: a finding has a secret: %v", name, list)
		}
		found := findings(list)
		for _, check := range []string{"certificate", "token", "scopes", "key", "notices", "clock"} {
			if want := cmp.Or(tc.wrong[check], "ok"); !strings.Contains(found[check], want) {
				t.Errorf("%s: %s: %q, want %q", name, check, found[check], want)
			}
		}
	}
	p := play(t, nil)
	p.token = answer(401, `{"error":"invalid_client"}`)
	if got := findings(p.Check(t.Context())); len(got) != 2 || !strings.Contains(got["token"], "invalid_client") {
		t.Errorf("without a token: %v", got)
	}
}

func dated(date string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", date)
		next(w, r)
	}
}

func TestCheck_Certificate(t *testing.T) {
	t.Parallel()
	p := play(t, answer(404, ""))
	for days, want := range map[int]string{-1: "ended", 29: "ends soon", 400: "valid until"} {
		o := p.Options
		o.Certificate, _ = newCertificate(t, p.Clock.Now().AddDate(0, 0, days))
		got := open(t, o).Check(t.Context())[0]
		if got.Check != "certificate" || got.OK != (days > 0) || !strings.Contains(got.Text, want) {
			t.Errorf("%d days: %+v", days, got)
		}
	}
}

func TestCheckCharge(t *testing.T) {
	t.Parallel()
	var status = "ATIVA"
	charges := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			status = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
		}
		fmt.Fprint(w, cob(t, map[string]any{"txid": strings.TrimPrefix(r.URL.Path, "/v2/cob/"), "status": status,
			"valor": map[string]any{"original": 0.01}, "pixCopiaECola": nil}))
	}
	if f := play(t, charges).CheckCharge(t.Context()); !f.OK {
		t.Error(f.Text)
	}
	p := play(t, answer(403, ""))
	if f := p.CheckCharge(t.Context()); f.OK || !strings.Contains(f.Text, "contract") || len(p.seen()) != 1 {
		t.Errorf("%+v, calls %v", f, p.seen())
	}
}
