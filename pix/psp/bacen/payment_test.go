package bacen_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// list answers GET /pix from the newest to the oldest of Pix 1 to n, where n may change with each page.
func list(t *testing.T, size int, n func(call int) int) http.HandlerFunc {
	calls := 0
	return func(w http.ResponseWriter, r *http.Request) {
		calls++
		total, page := n(calls), 0
		if text := r.URL.Query().Get("paginacao.paginaAtual"); text != "" {
			var err error
			if page, err = strconv.Atoi(text); err != nil {
				t.Error(err)
			}
		}
		var shown []map[string]any
		for i := total - page*size; i > max(0, total-(page+1)*size); i-- {
			shown = append(shown, map[string]any{"endToEndId": fmt.Sprint("E", i), "valor": "1.00",
				"horario": "2026-11-23T20:15:00Z", "chave": pixKey})
		}
		body, err := json.Marshal(map[string]any{"pix": shown, "parametros": map[string]any{"paginacao": map[string]any{
			"quantidadeDePaginas": max(1, (total+size-1)/size), "quantidadeTotalDeItens": total}}})
		if err != nil {
			t.Error(err)
		}
		w.Write(body)
	}
}

func readAll(t *testing.T, p *played) (ids map[string]bool, settled bool) {
	t.Helper()
	all, settled, err := psp.AllPayments(t.Context(), p.Bank(), psp.Window{From: p.Clock.Now().Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	ids = map[string]bool{}
	for _, payment := range all {
		if ids[payment.EndToEndID] {
			t.Errorf("%s comes twice", payment.EndToEndID)
		}
		ids[payment.EndToEndID] = true
	}
	return ids, settled
}

// No Pix is missed when others arrive while the pages are read, and the account is not read for ever.
func TestAllPayments(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		n       func(call int) int
		want    int
		settled bool
		calls   int
	}{
		"none":           {func(int) int { return 0 }, 0, true, 1},
		"one page":       {func(int) int { return 3 }, 3, true, 1},
		"three pages":    {func(int) int { return 7 }, 7, true, 3},
		"one arrives":    {func(call int) int { return 6 + min(call/2, 1) }, 7, true, 6},
		"always another": {func(call int) int { return 6 + call }, 15, false, 15},
		"one disappears": {func(call int) int { return 7 - min(call/2, 1) }, 7, true, 4},
	} {
		p := play(t, list(t, 3, tc.n), func(o *bacen.Options) { o.Profile.PageSize = 3 })
		ids, settled := readAll(t, p)
		if settled != tc.settled || len(ids) != tc.want || len(p.seen()) != tc.calls {
			t.Errorf("%s: %d Pix, settled %v, %d calls", name, len(ids), settled, len(p.seen()))
		}
	}
}

// A bank that answers every page with the first has Pix that it does not show.
func TestAllPayments_SamePage(t *testing.T) {
	t.Parallel()
	pages := list(t, 3, func(int) int { return 6 })
	p := play(t, func(w http.ResponseWriter, r *http.Request) {
		r.URL.RawQuery = ""
		pages(w, r)
	}, func(o *bacen.Options) { o.Profile.PageSize = 3 })
	if ids, settled := readAll(t, p); settled || len(ids) != 3 {
		t.Errorf("%d Pix, settled %v", len(ids), settled)
	}
}

// The window is the same for all pages, and ends now by the bank's clock.
func TestPayments_Window(t *testing.T) {
	t.Parallel()
	var queries []string
	pages := list(t, 100, func(int) int { return 150 })
	var p *played
	handle := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", p.Clock.Now().Add(30*time.Second).UTC().Format(http.TimeFormat))
		q := r.URL.Query()
		queries = append(queries, q.Get("inicio")+" "+q.Get("fim")+" "+q.Get("paginacao.paginaAtual")+" "+
			q.Get("paginacao.itensPorPagina")+" "+q.Get("txid")+" "+q.Get("devolucaoPresente"))
		pages(w, r)
	}
	p = play(t, handle, func(o *bacen.Options) { o.Profile.TimeFormat = bacen.Seconds })
	p.token = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", p.Clock.Now().Add(30*time.Second).UTC().Format(http.TimeFormat))
		fmt.Fprint(w, `{"access_token":"a"}`)
	}
	from := p.Clock.Now().Add(-time.Hour)
	if _, err := p.Payments(t.Context(), psp.Window{From: from, Until: from.Add(time.Minute)}, 0); err != nil {
		t.Fatal(err)
	}
	queries = nil
	w := psp.Window{From: from, TxID: txID, Returned: true}
	page, err := p.Payments(t.Context(), w, 0)
	if err != nil || page.Pages != 2 || page.Total != 150 || len(page.Payments) != 100 {
		t.Fatalf("%d of %d Pix, %d pages: %v", len(page.Payments), page.Total, page.Pages, err)
	}
	if ahead := page.Window.Until.Sub(p.Clock.Now()); ahead < 29*time.Second || ahead > 31*time.Second {
		t.Errorf("the window ends %v from now", ahead)
	}
	if _, err := p.Payments(t.Context(), page.Window, 1); err != nil {
		t.Fatal(err)
	}
	const layout = "2006-01-02T15:04:05Z"
	window := from.UTC().Format(layout) + " " + page.Window.Until.Add(time.Second-1).UTC().Format(layout)
	want := []string{window + " 0 100 " + txID + " true", window + " 1 100 " + txID + " true"}
	if diff := cmp.Diff(want, queries); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if skew := p.Health().Skew; skew < 29*time.Second || skew > 31*time.Second {
		t.Errorf("skew %v", skew)
	}
}

func TestPayments_Refused(t *testing.T) {
	t.Parallel()
	p := play(t, answer(200, `{"parametros":{"paginacao":{"quantidadeDePaginas":99999,
		"quantidadeTotalDeItens":1}},"pix":[]}`))
	now := p.Clock.Now()
	for _, w := range []psp.Window{{From: now.Add(time.Hour)}, {From: now.Add(-25 * time.Hour)}} {
		_, err := p.Payments(t.Context(), w, 0)
		kind(t, err, psp.Invalid)
	}
	_, err := p.Payments(t.Context(), psp.Window{From: now.Add(-time.Hour)}, -1)
	if kind(t, err, psp.Invalid); len(p.seen()) > 0 {
		t.Errorf("calls %v", p.seen())
	}
	_, err = p.Payments(t.Context(), psp.Window{From: now.Add(-time.Hour)}, 0)
	kind(t, err, psp.Protocol)
	const full = `{"pix":[{"endToEndId":"E1","valor":"1.00","horario":"2026-11-23T20:15:00Z"}]}`
	short := play(t, answer(200, full))
	page, err := short.Payments(t.Context(), psp.Window{From: now.Add(-time.Hour)}, 0)
	if err != nil || page.Pages != 1 || page.Total != 1 {
		t.Errorf("a short list without paging: %+v, %v", page, err)
	}
	cut := play(t, answer(200, full), func(o *bacen.Options) { o.Profile.PageSize = 1 })
	_, err = cut.Payments(t.Context(), psp.Window{From: now.Add(-time.Hour)}, 0)
	kind(t, err, psp.Protocol)
}

func TestPayment(t *testing.T) {
	t.Parallel()
	const body = `{"endToEndId":"E1","txid":"abc","valor":"110.00","chave":"k","horario":"2026-11-23T20:15:00.358Z",
		"componentesValor":{"original":{"valor":"110.00"}},"devolucoes":{}}`
	got, err := play(t, answer(200, body)).Payment(t.Context(), "E1")
	want := psp.Payment{EndToEndID: "E1", TxID: "abc", Amount: 110_00, Key: "k",
		PaidAt: time.Date(2026, 11, 23, 20, 15, 0, 358e6, time.UTC)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for _, body := range []string{
		`{"endToEndId":"E2","valor":"1.00","horario":"2026-11-23T20:15:00Z"}`, // another Pix
		`{"endToEndId":"E1","valor":"0.00","horario":"2026-11-23T20:15:00Z"}`,
		`{"endToEndId":"E1","valor":"-1.00","horario":"2026-11-23T20:15:00Z"}`,
		`{"endToEndId":"E1","valor":"1.005","horario":"2026-11-23T20:15:00Z"}`,
		`{"endToEndId":"E1","valor":1e3,"horario":"2026-11-23T20:15:00Z"}`,
		`{"endToEndId":"E1/..","valor":"1.00","horario":"2026-11-23T20:15:00Z"}`,
		`{"endToEndId":"E1","valor":"1.00"}`, `{}`,
		`{"endToEndId":"E1","valor":"1.00","horario":"2026-11-23T20:15:00Z","devolucoes":[{"id":"a"}]}`,
	} {
		_, err := play(t, answer(200, body)).Payment(t.Context(), "E1")
		kind(t, err, psp.Protocol)
	}
}

// A Pix that cannot be read hides none of the others of its list, and is named if its id can be read.
func TestPayments_Unread(t *testing.T) {
	t.Parallel()
	const at = `"horario":"2026-11-23T20:15:00Z"`
	for bad, named := range map[string]string{
		`{"endToEndId":"E2",` + at + `}`:                                             `"E2"`,
		`{"endToEndId":"E2","valor":"muito",` + at + `}`:                             `"E2"`,
		`{"endToEndId":"E2","valor":"1.00","horario":"ontem"}`:                       `"E2"`,
		`{"endToEndId":"E2","valor":"1.00",` + at + `,"devolucoes":[{"valor":"1"}]}`: `"E2"`,
		`{"endToEndId":"../E2","valor":"1.00",` + at + `}`:                           `""`,
		`"E2"`: `""`,
	} {
		p := play(t, answer(200, `{"parametros":{"paginacao":{"quantidadeDePaginas":1,"quantidadeTotalDeItens":2}},
			"pix":[`+bad+`,{"endToEndId":"E1","valor":"1.00",`+at+`}]}`))
		w := psp.Window{From: p.Clock.Now().Add(-time.Hour)}
		all, settled, err := psp.AllPayments(t.Context(), p, w)
		if !errors.Is(err, psp.ErrUnread) || !settled || len(all) != 1 || all[0].EndToEndID != "E1" ||
			!strings.Contains(err.Error(), named) {
			t.Errorf("%s: %+v, settled %t, %v", bad, all, settled, err)
		}
	}
}
