package browsertest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPagesHaveCookiesOfTheirOwn(t *testing.T) {
	t.Parallel()
	base := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.FormValue("login"); name != "" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: name, HttpOnly: true})
		}
		cookie, _ := r.Cookie("session")
		writePage(w, fmt.Sprintf("<h1>%v</h1>", cookie))
	}))
	ana, bia := Open(t, base+"/?login=ana", Options{}), Open(t, base+"/?login=bia", Options{})
	ana.Goto("/")
	bia.Goto("/")
	got := []string{ana.Text("h1"), bia.Text("h1"), Open(t, base, Options{}).Text("h1")}
	if diff := cmp.Diff([]string{"session=ana", "session=bia", ""}, got); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
}

func TestOptionsReachTheServerAndThePage(t *testing.T) {
	t.Parallel()
	base := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writePage(w, "<h1>"+r.Header.Get("Accept-Language")+"</h1>")
	}))
	const look = `[innerWidth, innerHeight, devicePixelRatio, matchMedia("(pointer: coarse)").matches,
		matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(prefers-reduced-motion: reduce)").matches,
		navigator.language, new Intl.NumberFormat().format(1.5), Intl.DateTimeFormat().resolvedOptions().timeZone,
		document.hasFocus(), navigator.userAgent.includes("Headless")].join(" ")`
	tests := []struct {
		name             string
		options          Options
		accept, observed string
	}{
		{"phone", Options{}, "pt-BR", "390 844 2 true false true pt-BR 1,5 America/Sao_Paulo true false"},
		{"desktop", Options{Viewport: Desktop, Dark: true, Lang: "en-US"}, "en-US",
			"1280 800 1 false true true en-US 1.5 America/Sao_Paulo true false"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := Open(t, base, test.options)
			if got := page.Text("h1"); got != test.accept {
				t.Errorf("Accept-Language: %s, want %s", got, test.accept)
			}
			if got := Eval[string](page, look); got != test.observed {
				t.Errorf("the page sees %s, want %s", got, test.observed)
			}
			at := Eval[int](page,
				`(document.body.style.height = "5000px", scrollTo({top: 1000, behavior: "smooth"}), scrollY)`)
			if at != 1000 {
				t.Errorf("the page scrolls smoothly, and stands at %d of 1000", at)
			}
		})
	}
}

func TestPagesAreLoadedWithWhatIsInThem(t *testing.T) {
	t.Parallel()
	const slow = 200 * time.Millisecond
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writePage(w, `<p>`+r.URL.Path+`</p><img src="/slow.svg?`+r.URL.Path+`" alt=""><a href="/next">Adiante</a>`)
	})
	asked := make(chan string, 10) // the pages whose image was
	mux.HandleFunc("/slow.svg", func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.RawQuery
		<-time.After(slow)
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	})
	page := Open(t, serveHandler(t, mux), Options{})
	later := func() { // by the page itself, in no step of the test
		page.True(`(location.assign("/later"), true)`)
		for <-asked != "/later" {
		}
		page.WaitText("p", "/later")
	}
	for _, step := range []func(){func() {}, func() { page.Click("Adiante") }, page.Reload,
		func() { page.Goto("/other") }, later} {
		step()
		if !page.True(`document.readyState === "complete" && document.images[0].complete`) {
			t.Errorf("%s is not loaded yet", page.URL())
		}
	}
}

func TestNoScript(t *testing.T) {
	t.Parallel()
	page := Open(t, site(t, map[string]string{
		"/": `<p id="p">Sem</p><script>p.textContent = "Com"</script>
			<noscript><a href="/next">Atualizar</a></noscript>`,
		"/next": `<h1>Pago</h1><form action="/"><label>Nome <input name="name"></label><button>Enviar</button></form>`,
	}), Options{NoScript: true})
	page.WaitText("#p", "Sem")
	page.Axe()
	page.Click("Atualizar")
	page.WaitText("h1", "Pago")
	page.Type("Nome", "Ana")
	if got := page.Value("Nome"); got != "Ana" {
		t.Errorf("field holds %q", got)
	}
	page.Click("Enviar")
	page.WaitVisible("#p")
	page.NoSidewaysScroll()
}
