package browsertest

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRequestsCountsBytesOnTheWire(t *testing.T) {
	t.Parallel()
	const size = 100_000
	streaming := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/old", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writePage(w, `<link rel="stylesheet" href="/app.css"><script>
			new EventSource("/events").onmessage = () => fetch("/api", {method: "POST"})
		</script><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" alt="">`)
	})
	mux.HandleFunc("/app.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Cache-Control", "max-age=600")
		packed := gzip.NewWriter(w)
		fmt.Fprint(packed, "/*"+strings.Repeat("x", size)+"*/")
		_ = packed.Close()
	})
	mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("y", size)) })
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 600000\ndata: now\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-streaming:
		case <-r.Context().Done():
		}
	})
	base := serveHandler(t, mux)
	t.Cleanup(func() { close(streaming) })
	page := Open(t, base+"/old", Options{})
	page.WaitTrue(`performance.getEntriesByName(location.origin + "/api").length > 0`)
	got := page.Requests()
	want := []Request{
		{Method: "GET", URL: base + "/old", Type: "Document", Status: 302},
		{Method: "GET", URL: base + "/", Type: "Document", Status: 200},
		{Method: "GET", URL: base + "/app.css", Type: "Stylesheet", Status: 200},
		{Method: "GET", URL: base + "/events", Type: "EventSource", Status: 200},
		{Method: "POST", URL: base + "/api", Type: "Fetch", Status: 200},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Request{}, "Bytes")); diff != "" {
		t.Fatalf("requests (-want +got):\n%s", diff)
	}
	for i, limits := range [][2]int64{{50, 1000}, {300, 2000}, {150, 1500}, {50, 1000}, {size, size + 1000}} {
		if bytes := got[i].Bytes; bytes < limits[0] || bytes > limits[1] {
			t.Errorf("%s: %d bytes, want %d to %d", got[i].URL, bytes, limits[0], limits[1])
		}
	}

	page.Goto("/")
	for _, again := range page.Requests()[len(got):] {
		if strings.HasSuffix(again.URL, ".css") && again.Bytes != 0 {
			t.Errorf("cached stylesheet: %d bytes", again.Bytes)
		}
	}
}
