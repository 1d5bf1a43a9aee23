package bacen_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"garoupa/internal/tracing"
	"garoupa/internal/tracing/tracingtest"
)

// Calls are spans below what makes them, and tell the bank so. Of an error they have the kind and the status alone.
func TestTraced(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	var mu sync.Mutex
	var parents []string
	note := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		parents = append(parents, r.Header.Get("traceparent"))
	}
	p := play(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"type":"x","title":"Maria Quitéria","status":404,"detail":"52998224725"}`)
	})
	token := p.token
	p.token = func(w http.ResponseWriter, r *http.Request) {
		note(r)
		token(w, r)
	}
	ctx, span := tracer.Work(t.Context(), "work")
	trace := tracing.ID(ctx)
	_, _ = p.Charge(ctx, txID)
	_, _ = p.Charge(t.Context(), txID)
	span.End()

	spans := sent(trace)
	named := func(name string) tracingtest.Span {
		t.Helper()
		i := slices.IndexFunc(spans, func(s tracingtest.Span) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("%s is not among %v", name, spans)
		}
		return spans[i]
	}
	call, asked := named("bank read charge"), named("bank token")
	if call.Parent != named("work").ID || asked.Parent != call.ID || asked.Failed || !call.Failed ||
		call.Texts["error.type"] != "not found" || call.Numbers["http.response.status_code"] != http.StatusNotFound {
		t.Errorf("%+v %+v", call, asked)
	}
	header := func(s tracingtest.Span) string { return "00-" + trace + "-" + s.ID + "-01" }
	if want := []string{header(asked), header(call), ""}; !slices.Equal(parents, want) {
		t.Errorf("the bank got %q, want %q", parents, want)
	}
	for _, secret := range []string{"Quit", "52998224725", txID, pixKey, "secret", "loja", "127.0.0.1"} {
		if text := fmt.Sprintf("%+v", spans); strings.Contains(text, secret) {
			t.Errorf("the spans contain %s: %s", secret, text)
		}
	}
}
