package browsertest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const orderForm = `
<form method="post" action="/orders">
	<label for="name">Nome <span>(opcional)</span></label> <input id="name" name="name" value="antes">
	<label>Parcelas <select name="parts"><option>À vista</option><option value="2">Duas vezes</option></select></label>
	<button>Fazer pedido</button>
</form>
<a href="/about">Sobre a loja</a>
<button id="plus" aria-label="Somar" aria-describedby="sum">+</button> <output id="sum">0</output>
<script>
	plus.onclick = () => setTimeout(() => { sum.textContent = Number(sum.textContent) + 1 }, 80)
</script>`

func shop(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { writePage(w, orderForm) })
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, _ *http.Request) {
		writePage(w, `<h1>Sobre</h1><p data-kind="fine">Desde&nbsp;1999, em   Natal</p>`)
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/orders?name="+r.FormValue("name")+"&parts="+r.FormValue("parts"), http.StatusSeeOther)
	})
	mux.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) {
		writePage(w, "<h1>Pedido de "+r.FormValue("name")+", "+r.FormValue("parts")+"</h1>")
	})
	return serveHandler(t, mux)
}

func TestClickFindsAButtonByItsNameAndBySelector(t *testing.T) {
	t.Parallel()
	page := Open(t, shop(t), Options{})
	page.Click("Somar")
	page.WaitText("#sum", "1")
	page.Click("#plus")
	page.WaitText("#sum", "2")
}

func TestClickWaitsForThePageThatItOpens(t *testing.T) {
	t.Parallel()
	base := shop(t)
	page := Open(t, base, Options{})
	page.Click("Sobre a loja")
	if got, want := page.URL(), base+"/about"; got != want {
		t.Errorf("at %s, want %s", got, want)
	}
	if got, want := page.Text("p"), "Desde 1999, em Natal"; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	if got := page.Attr("p", "data-kind"); got != "fine" {
		t.Errorf("data-kind = %q", got)
	}
	if got := page.FullText(); !strings.Contains(got, "Sobre\n") || !strings.Contains(got, "Desde 1999") {
		t.Errorf("full text %q", got)
	}
	page.Goto("/")
	page.WaitVisible("Fazer pedido")
}

func TestTypeReplacesWhatAFieldHoldsAndChoosesFromAList(t *testing.T) {
	t.Parallel()
	page := Open(t, shop(t), Options{Viewport: Desktop})
	page.Type("Nome (opcional)", "João & Cia")
	if got := page.Value("#name"); got != "João & Cia" {
		t.Errorf("field holds %q", got)
	}
	page.Type("#name", "")
	if got := page.Value("#name"); got != "" {
		t.Errorf("cleared field holds %q", got)
	}
	page.Type("#name", "Conceição")
	page.Type("Parcelas", "Duas vezes")
	page.Click("Fazer pedido")
	if got := page.Text("h1"); got != "Pedido de Conceição, 2" {
		t.Errorf("after the order the heading reads %q", got)
	}
}

func TestPressMovesTheFocusAndSubmits(t *testing.T) {
	t.Parallel()
	page := Open(t, shop(t), Options{})
	var order []string
	for range 4 {
		page.Press("Tab")
		order = append(order, page.Focused())
	}
	if diff := cmp.Diff([]string{"#name", "Parcelas", "Fazer pedido", "Sobre a loja"}, order); diff != "" {
		t.Errorf("order of focus (-want +got):\n%s", diff)
	}
	page.Press("Shift+Tab")
	page.WaitFocused("Fazer pedido")
	page.Press("Enter")
	if got := page.Text("h1"); got != "Pedido de antes, À vista" {
		t.Errorf("after Enter the heading reads %q", got)
	}
}

func TestReloadLoadsTheServersPageAgain(t *testing.T) {
	t.Parallel()
	page := Open(t, shop(t), Options{})
	page.Click("Somar")
	page.WaitText("#sum", "1")
	page.Reload()
	if got := page.Text("#sum"); got != "0" {
		t.Errorf("sum reads %q after the reload", got)
	}
}

func TestStepsSayWhatStoodInTheWay(t *testing.T) {
	t.Parallel()
	base := site(t, map[string]string{"/": `
<button id="off" disabled>Pagar</button> <button id="hid" hidden>Voltar</button>
<div style="position:relative"><button id="under">Copiar</button>
<p id="over" style="position:absolute;inset:0;margin:0">Aguarde</p></div>
<input id="fixed" aria-label="Chave" readonly value="x">`})
	tests := []struct {
		name string
		step func(*Page)
		want []string
	}{
		{"absent", func(p *Page) { p.Click("Comprar") },
			[]string{`click "Comprar"`, "nothing on the page matches", base}},
		{"disabled", func(p *Page) { p.Click("#off") }, []string{`button#off "Pagar" is disabled`}},
		{"hidden", func(p *Page) { p.Click("#hid") }, []string{`button#hid "Voltar" is hidden`}},
		{"covered", func(p *Page) { p.Click("Copiar") }, []string{`covered by p#over "Aguarde"`}},
		{"read-only", func(p *Page) { p.Type("Chave", "y") }, []string{"is read-only"}},
		{"other text", func(p *Page) { p.WaitText("h1", "Banco") },
			[]string{`wait for "h1" to read "Banco"`, `it reads "Loja"`}},
		{"still there", func(p *Page) { p.WaitGone("Loja") }, []string{"is there"}},
		{"focus elsewhere", func(p *Page) { p.WaitFocused("#under") }, []string{"the focus is on body"}},
		{"never there", func(p *Page) { p.Glimpse("Comprar")() }, []string{`glimpse "Comprar"`, "it was not there"}},
		{"false", func(p *Page) { p.WaitTrue("1 > 2") }, []string{"wait for 1 > 2", "does not hold"}},
		{"no such key", func(p *Page) { p.Press("Fly") }, []string{`press "Fly"`}},
		{"no such attribute", func(p *Page) { p.Attr("h1", "lang") }, []string{"has no lang"}},
		{"an exception", func(p *Page) { p.timeout = waitTimeout; p.True("nope()") }, []string{"nope is not defined"}},
		{"no server", func(p *Page) { p.timeout = waitTimeout; p.Goto("http://127.0.0.1:1/") }, []string{"ERR_"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			failed := failures(t, func(tb testing.TB) {
				page := Open(tb, base, Options{})
				page.timeout = 300 * time.Millisecond // most wait in vain
				test.step(page)
			})
			wantFailure(t, failed, test.want...)
		})
	}
}

// What is there for a moment is seen, if it is looked out for before it comes.
func TestGlimpse(t *testing.T) {
	t.Parallel()
	page := Open(t, site(t, map[string]string{"/": `<button>Copiar</button> <output hidden>Copiado</output><script>
		const output = document.querySelector("output")
		document.querySelector("button").onclick = () => {
			output.hidden = false
			queueMicrotask(() => queueMicrotask(() => { output.hidden = true }))
		}
	</script>`}), Options{})
	seen := page.Glimpse("Copiado")
	page.Click("Copiar")
	seen()
	page.WaitGone("Copiado")
}

func TestWaitsSurviveNavigation(t *testing.T) {
	t.Parallel()
	page := Open(t, site(t, map[string]string{
		"/": `<script>setTimeout(() => { location = "/next" }, 150)</script>`,
		"/next": `<h1>Pronto</h1>
			<script>setTimeout(() => { document.querySelector("h1").textContent = "Pago" }, 150)</script>`,
	}), Options{})
	page.WaitText("h1", "Pago")
	page.WaitTrue("Promise.resolve(location.pathname === '/next')")
}
