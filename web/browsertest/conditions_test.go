package browsertest

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOffline(t *testing.T) {
	t.Parallel()
	base := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writePage(w, `<p id="net">?</p><script>
			const say = () => { net.textContent = navigator.onLine ? "online" : "offline" }
			addEventListener("online", say); addEventListener("offline", say)
			const reach = () => fetch("/").then((r) => "answer " + r.status, () => "no answer")
		</script>`)
	}))
	page := Open(t, base, Options{})
	page.SetOffline(true)
	page.WaitText("#net", "offline")
	if got := Eval[string](page, "reach()"); got != "no answer" {
		t.Errorf("offline: %s", got)
	}
	page.SetOffline(false)
	page.WaitText("#net", "online")
	if got := Eval[string](page, "reach()"); got != "answer 200" {
		t.Errorf("online again: %s", got)
	}
	requests := page.Requests()
	if got := requests[len(requests)-2].Error; got != "net::ERR_INTERNET_DISCONNECTED" {
		t.Errorf("error of the request while offline: %q", got)
	}
}

func TestHideAndShow(t *testing.T) {
	t.Parallel()
	base := site(t, map[string]string{"/": `<script>
		const seen = []
		document.addEventListener("visibilitychange", () => seen.push(document.visibilityState))
	</script>`})
	for _, viewport := range []Viewport{Phone, Desktop} {
		t.Run(fmt.Sprint(viewport.Width), func(t *testing.T) {
			t.Parallel()
			page, other := Open(t, base, Options{Viewport: viewport}), Open(t, base, Options{Viewport: viewport})
			for range 2 {
				page.Hide()
				page.Show()
			}
			page.Hide()
			if diff := cmp.Diff([]string{"hidden", "visible", "hidden", "visible", "hidden"},
				Eval[[]string](page, "seen")); diff != "" {
				t.Errorf("visibility changes (-want +got):\n%s", diff)
			}
			page.WaitTrue("new Promise((next) => setTimeout(next, 50)).then(() => true)")
			if got := Eval[[]string](other, "seen"); len(got) != 0 {
				t.Errorf("another page saw %q", got)
			}
			page.Show()
			page.WaitVisible("Loja")
		})
	}
}

// A page that would lose something is left all the same, and that it asked is known.
func TestAsked(t *testing.T) {
	t.Parallel()
	page := Open(t, site(t, map[string]string{"/": `<label>Nome <input></label> <a href="/next">Seguir</a><script>
		addEventListener("beforeunload", (event) => {
			if (document.querySelector("input").value) event.preventDefault()
		})
	</script>`, "/next": "<p>Adiante</p>"}), Options{})
	for _, typed := range []string{"", "Ana", ""} {
		page.Goto("/")
		if typed != "" {
			page.Type("Nome", typed)
		}
		page.Click("Seguir")
		page.WaitVisible("Adiante")
		if got := page.Asked(); got != (typed != "") {
			t.Errorf("having typed %q, asked: %v", typed, got)
		}
	}
	page.Goto("/")
	page.Type("Nome", "Ana")
	page.Goto("/next")
	if !page.Asked() || page.Asked() {
		t.Error("another address is not asked about, once")
	}
}

func TestClipboard(t *testing.T) {
	t.Parallel()
	page := Open(t, site(t, map[string]string{"/": `<button>Copiar</button><script>
		document.querySelector("button").onclick = (event) => navigator.clipboard.writeText("000201")
			.then(() => { event.target.textContent = "Copiado" })
	</script>`}), Options{})
	page.Click("Copiar")
	page.WaitText("button", "Copiado")
	if got := page.Clipboard(); got != "000201" {
		t.Errorf("clipboard holds %q", got)
	}
}
