package browsertest

import (
	"bytes"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

func TestNoSidewaysScroll(t *testing.T) {
	t.Parallel()
	base := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/wide":
			writePage(w, `<div id="narrow" style="width:300px">a</div><div id="wide" style="width:600px">b</div>
				<div style="overflow-x:auto"><div style="width:900px">c</div></div>`)
		case "/long":
			writePage(w, `<div>`+"<p>linha</p>"+`</div><p style="height:3000px">longa</p>`)
		case "/scroller":
			writePage(w, `<div style="overflow-x:auto"><div style="width:600px">b</div></div>`)
		case "/unscaled":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><p>a`))
		}
	}))
	tests := []struct {
		name, path string
		viewport   Viewport
		want       []string
	}{
		{"phone overflows", "/wide", Phone, []string{"in 390 px", "div#wide", "reaches to 608 px", base + "/wide"}},
		{"desktop holds it", "/wide", Desktop, nil},
		{"long page", "/long", Desktop, nil},
		{"inner scroller", "/scroller", Phone, nil},
		{"no viewport meta tag", "/unscaled", Phone, []string{"viewport meta tag"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			failed := failures(t, func(tb testing.TB) {
				Open(tb, base+test.path, Options{Viewport: test.viewport}).NoSidewaysScroll()
			})
			if test.want == nil && len(failed) == 0 {
				return
			}
			wantFailure(t, failed, test.want...)
		})
	}
}

func TestMoneyWholeFindsBrokenAndCutAmounts(t *testing.T) {
	base := site(t, map[string]string{
		"/whole":  `<p>Total: R$&nbsp;8.758,18</p><p style="overflow-x:auto;width:40px">R$&nbsp;8.758,18</p>`,
		"/broken": `<p style="width:70px;word-break:break-all">R$&nbsp;8.758,18</p>`,
		"/cut":    `<p style="width:40px;overflow:hidden;white-space:nowrap">R$&nbsp;8.758,18</p>`,
	})
	for path, want := range map[string]string{"/whole": "", "/broken": "broken in two lines", "/cut": "cut off"} {
		failed := failures(t, func(tb testing.TB) { Open(tb, base+path, Options{}).MoneyWhole() })
		if want == "" && len(failed) > 0 {
			t.Errorf("%s: %q", path, failed)
		} else if want != "" {
			wantFailure(t, failed, want)
		}
	}
}

func TestScreenshotShowsTheWholePage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ScreenshotVariable, folder)
	page := Open(t, site(t, map[string]string{"/": `<p style="height:2000px">longa</p>`}), Options{})
	shot := page.Screenshot("long")
	written, err := os.ReadFile(filepath.Join(folder, "long.png"))
	if err != nil || !bytes.Equal(shot, written) {
		t.Errorf("the file does not hold the screenshot: %v", err)
	}
	size, err := png.DecodeConfig(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	if size.Width != 2*390 || size.Height < 2*2000 {
		t.Errorf("screenshot of %d×%d pixels", size.Width, size.Height)
	}
}
