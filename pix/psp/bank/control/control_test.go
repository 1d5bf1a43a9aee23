package control_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/pix/psp/bank/control"
)

// socket returns a path for a socket, short enough for all systems.
func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "control")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "control.sock")
}

// serve answers at a socket until the test ends.
func serve(t *testing.T, handler http.HandlerFunc) control.Client {
	t.Helper()
	path := socket(t)
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return control.Dial(path)
}

// Each method sends one request, with the names that the socket has, and decodes the answer.
func TestClient(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	ctx := t.Context()
	for _, c := range []struct {
		ask            func(control.Client) (any, error)
		sent, answered string
		want           any
	}{
		{func(c control.Client) (any, error) {
			return c.Pay(ctx, control.PayRequest{Code: "0002", Amount: 1, Late: true, Twice: true, NoTxID: true})
		}, `POST /pay {"code":"0002","amount":1,"late":true,"twice":true,"noTxid":true}`,
			`{"endToEndIds":["E1","E2"]}`, control.PayAnswer{EndToEndIDs: []string{"E1", "E2"}}},
		{func(c control.Client) (any, error) { return c.Pay(ctx, control.PayRequest{Code: "0002"}) },
			`POST /pay {"code":"0002"}`, `{"later":"member"}`, control.PayAnswer{}},
		{func(c control.Client) (any, error) {
			return c.Return(ctx, control.ReturnRequest{EndToEndID: "E1", Amount: 2})
		}, `POST /return {"endToEndId":"E1","amount":2}`, `{"id":"r","status":"DEVOLVIDO"}`,
			control.ReturnAnswer{ID: "r", Status: "DEVOLVIDO"}},
		{func(c control.Client) (any, error) {
			return c.Dispute(ctx, control.DisputeRequest{EndToEndID: "E1", Amount: 3})
		}, `POST /med {"endToEndId":"E1","amount":3}`, `{"id":"d"}`, control.DisputeAnswer{ID: "d"}},
		{func(c control.Client) (any, error) {
			return c.CloseDispute(ctx, control.CloseRequest{ID: "d", Outcome: control.OutcomeReturned, Amount: 4})
		}, `POST /med-close {"id":"d","outcome":"RETURNED","amount":4}`, `{"status":"s"}`,
			control.StatusAnswer{Status: "s"}},
		{func(c control.Client) (any, error) { return c.Remove(ctx, control.RemoveRequest{TxID: "x"}) },
			`POST /remove {"txid":"x"}`, `{"status":"s"}`, control.StatusAnswer{Status: "s"}},
		{func(c control.Client) (any, error) {
			return nil, c.SetFault(ctx, control.Fault{Name: "slow", Value: "2s", On: "/cob", Times: 3})
		}, `POST /fault {"name":"slow","value":"2s","on":"/cob","times":3}`, `{}`, nil},
		{func(c control.Client) (any, error) { return nil, c.ClearFaults(ctx) }, `POST /fault/clear {}`, `{}`, nil},
		{func(c control.Client) (any, error) { return c.State(ctx) }, `GET /state {}`,
			`{"charges":4,"active":1,"paid":2,"removed":1,"received":5,"returned":6,"sent":7,"blocked":8,"balance":9,
			"notices":3,"faults":[{"name":"lag"}],"recent":[{"at":"2026-11-23T12:00:00Z","kind":"pix","id":"E1",
			"txid":"x","status":"s","amount":10}]}`,
			control.State{Charges: 4, Active: 1, Paid: 2, Removed: 1, Received: 5, Returned: 6, Sent: 7, Blocked: 8,
				Balance: 9, Notices: 3, Faults: []control.Fault{{Name: "lag"}}, Recent: []control.StateLine{
					{At: at, Kind: "pix", ID: "E1", TxID: "x", Status: "s", Amount: 10}}}},
	} {
		sent := make(chan string, 1)
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent <- r.Method + " " + r.URL.Path + " " + string(body)
			io.WriteString(w, c.answered)
		})
		got, err := c.ask(client)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", c.sent, err, diff)
		}
		if diff := cmp.Diff(c.sent, <-sent); diff != "" {
			t.Errorf("(-want +sent)\n%s", diff)
		}
	}
}

// An error is the bank's own sentence and nothing else. If the answer has no sentence, the error says so.
func TestClient_Refused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":"the charge is paid already"}`:  "the charge is paid already",
		`{"error":""}`:                            "bank: the answer to /pay has the status 409",
		`<html>`:                                  "bank: the answer to /pay has the status 409",
		`{"error":"` + strings.Repeat("x", 2<<20): "bank: the answer to /pay has the status 409",
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, body)
		})
		if _, err := client.Pay(t.Context(), control.PayRequest{}); err == nil || err.Error() != want {
			t.Errorf("%.40s: %v", body, err)
		}
	}
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") })
	if _, err := client.Pay(t.Context(), control.PayRequest{}); err == nil {
		t.Error("an answer of another shape is none")
	}
}

// Without a bank the error says how to start one: the socket is missing, or the rest of a bank
// that was killed.
func TestClient_NoBank(t *testing.T) {
	t.Parallel()
	missing, dead := socket(t), socket(t)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	for _, path := range []string{missing, dead} {
		dir := filepath.Dir(path)
		_, err := control.Dial(path).State(t.Context())
		if want := "no bank serves " + dir + ": run garoupa bank serve " + dir; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A bank that hangs does not hold a command for ever.
func TestClient_Silent(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	client := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := client.State(ctx)
	if err == nil || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("a deadline: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := client.State(ctx); err == nil || strings.Contains(err.Error(), "in time") {
		t.Errorf("an interrupt: %v", err)
	}
}
