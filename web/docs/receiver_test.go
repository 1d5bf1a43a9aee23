package docs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"garoupa/internal/server/servertest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/web/webtest"
	"garoupa/webhook"
)

// eachReceiver runs a test on the receiver of the guide in every language, copied from
// the page.
func eachReceiver(t *testing.T, test func(t *testing.T, s *webtest.Site, language, code string)) {
	t.Helper()
	s := webtest.New(t)
	for _, language := range runnable(docs.Languages[1:]) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			test(t, s, language.ID, sampleOf(t, s, "/docs/webhooks", "receiver", language.ID))
		})
	}
}

// A copied receiver handles a real event once, and no forged one.
func TestDocs_Receiver(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, s *webtest.Site, language, code string) {
		_, secret := s.Endpoint(t, "https://shop.example/hook")
		first, second := s.Checkout(t, payments.NewCheckout{}), s.Checkout(t, payments.NewCheckout{})
		if err := errors.Join(s.SimulatePayment(t.Context(), first.ID),
			s.SimulateExpiry(t.Context(), second.ID)); err != nil {
			t.Fatal(err)
		}
		created, paid := eventBody(t, s, first.ID, models.EventCheckoutCreated),
			eventBody(t, s, first.ID, models.EventCheckoutPaid)
		expired := eventBody(t, s, second.ID, models.EventCheckoutExpired)
		late := strings.NewReplacer(first.ID, second.ID, first.ExternalID, second.ExternalID, `"id":"evt_`,
			`"id":"evt_0`).Replace(paid)
		withdrawal := `{"id":"evt_w","type":"withdrawal.completed","data":{"withdrawal":{"id":"wdr_0"}}}`
		known := func(body string) string { return sign(secret, body) }
		unknown := func(body string) string { return sign("whsec_new", body) }
		address, said := receiver(t, language, code, secret)
		for _, tc := range []struct {
			what, body, signature, previous string
			want                            int
		}{
			{"another secret", paid, unknown(paid), "", http.StatusUnauthorized},
			{"other secrets", paid, unknown(paid), unknown(paid), http.StatusUnauthorized},
			{"an empty secret", paid, sign("", paid), "", http.StatusUnauthorized},
			{"an empty secret as the previous one", paid, "", sign("", paid), http.StatusUnauthorized},
			{"another body", strings.Replace(paid, "PAID", "PENDING", 1), known(paid), "", http.StatusUnauthorized},
			{"no signature", paid, "", "", http.StatusUnauthorized},
			{"nonsense", paid, "çã", "çã", http.StatusUnauthorized},
			{"a payment", paid, known(paid), "", http.StatusNoContent},
			{"the same again", paid, known(paid), "", http.StatusNoContent},
			{"its creation, late, from a rotation", created, unknown(created), known(created), http.StatusNoContent},
			{"an expiry, with the new secret in a rotation", expired, known(expired), unknown(expired),
				http.StatusNoContent},
			{"a payment after it", late, known(late), "", http.StatusNoContent},
			{"a withdrawal", withdrawal, known(withdrawal), "", http.StatusNoContent},
		} {
			if got := deliver(t, address, tc.body, tc.signature, tc.previous); got != tc.want {
				t.Errorf("%s: answered %d, want %d", tc.what, got, tc.want)
			}
		}
		saidOnce(t, said(),
			"checkout.paid "+first.ID+" "+first.ExternalID+" PAID",
			"checkout.created "+first.ID+" "+first.ExternalID+" PAID",
			"checkout.expired "+second.ID+" "+second.ExternalID+" EXPIRED",
			"checkout.paid "+second.ID+" "+second.ExternalID+" PAID")
	})
}

// sign returns the signature of a body.
func sign(secret, body string) string { return webhook.Sign(secret, []byte(body)) }

// eventBody is what a delivery of a checkout's event says.
func eventBody(t *testing.T, s *webtest.Site, checkoutID, eventType string) string {
	t.Helper()
	return string(modelstest.One[[]byte](t, s.DB, "SELECT body FROM events WHERE checkout_id = $1 AND type = $2",
		checkoutID, eventType))
}

// saidOnce checks that a receiver said each line, and said it once.
func saidOnce(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if n := strings.Count(text, want+"\n"); n != 1 {
			t.Errorf("%q was said %d times", want, n)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// changes has, for each status that a shop knows and each that an event brings, the
// status of the order afterward: the table of the guide.
var changes = map[string]map[string]string{
	"PENDING":   {"PENDING": "PENDING", "PAID": "PAID", "EXPIRED": "EXPIRED", "CANCELLED": "CANCELLED"},
	"EXPIRED":   {"PENDING": "EXPIRED", "PAID": "PAID", "EXPIRED": "EXPIRED", "CANCELLED": "EXPIRED"},
	"CANCELLED": {"PENDING": "CANCELLED", "PAID": "PAID", "EXPIRED": "CANCELLED", "CANCELLED": "CANCELLED"},
	"PAID":      {"PENDING": "PAID", "PAID": "PAID", "EXPIRED": "PAID", "CANCELLED": "PAID"},
}

// Whatever the order of events, a receiver never takes an order back.
func TestDocs_ReceiverOrder(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, _ *webtest.Site, language, code string) {
		const secret = "whsec_order"
		address, said := receiver(t, language, code, secret)
		var lines []string
		for known, next := range changes {
			for brought, want := range next {
				id := "chk_" + known + "_" + brought
				for i, status := range []string{known, brought} {
					body := fmt.Sprintf(`{"id":"evt_%d_%s","type":"checkout.event%d","data":{"checkout":`+
						`{"id":"%s","externalId":"o","status":"%s"}}}`, i, id, i, id, status)
					if got := deliver(t, address, body, sign(secret, body), ""); got != http.StatusNoContent {
						t.Errorf("%s: answered %d", body, got)
					}
				}
				lines = append(lines, "checkout.event0 "+id+" o "+known, "checkout.event1 "+id+" o "+want)
			}
		}
		saidOnce(t, said(), lines...)
	})
}

// The statement of the guide keeps to the same table, also for an order that is new.
func TestDocs_OrderInSQL(t *testing.T) {
	t.Parallel()
	guide, err := docs.Read(i18n.English, docs.Webhooks)
	if err != nil {
		t.Fatal(err)
	}
	var statement string
	for _, block := range guide.Blocks {
		if block.Language == "sql" {
			statement = block.Code
		}
	}
	s := webtest.New(t)
	modelstest.Exec(t, s.DB, "CREATE TABLE orders (checkout_id text PRIMARY KEY, status text NOT NULL)")
	for known, next := range changes {
		for brought, want := range next {
			id := known + brought
			modelstest.Exec(t, s.DB, statement, id, known)
			modelstest.Exec(t, s.DB, statement, id, brought)
			if got := modelstest.One[string](t, s.DB, "SELECT status FROM orders WHERE checkout_id = $1",
				id); got != want {
				t.Errorf("%s, then %s: %s, want %s", known, brought, got, want)
			}
		}
	}
}

// Nothing that a stranger sends ends a receiver. It answers the next event.
func TestDocs_ReceiverBrokenRequests(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, _ *webtest.Site, language, code string) {
		const secret, event = "whsec_broken", `{"id":"evt_1","type":"t","data":{}}`
		signature := sign(secret, event)
		address, _ := receiver(t, language, code, secret)
		head := "POST /webhooks HTTP/1.1\r\nHost: shop\r\nx-svc-signature: " + signature + "\r\n"
		for _, request := range []string{
			head + "Content-Length: 1000\r\n\r\nabc", head + "Content-Length: 0\r\n\r\n",
			head + "Content-Length: -1\r\n\r\n", head + "Content-Length: x\r\n\r\n",
			head + "Content-Length: " + strings.Repeat("9", 5000) + "\r\n\r\n",
			head + "\r\n", head + "Transfer-Encoding: chunked\r\n\r\nffff\r\nabc",
			head + "Transfer-Encoding: chunked\r\n\r\nno chunk", "POST /webhooks HT", "\xff\x00\r\n\r\n",
		} {
			ends := []func(*net.TCPConn) error{(*net.TCPConn).Close, (*net.TCPConn).CloseWrite}
			if language == "php" {
				ends = ends[:1] // its server for development keeps a request open while the client does
			}
			for _, end := range ends {
				conn := send(t, address, request)
				_ = end(conn)
				answer, _ := io.ReadAll(conn) // until the receiver is done with it
				if bytes.Contains(answer, []byte(" 204 ")) {
					t.Errorf("%.100q was accepted", request)
				}
				if got := deliver(t, address, event, signature, ""); got != http.StatusNoContent {
					t.Fatalf("after %.100q an event is answered %d", request, got)
				}
			}
		}
	})
}

// send sends a request, or what a receiver takes of it, on a new connection.
func send(t *testing.T, address, request string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatalf("%.60q: the receiver is gone: %v", request, err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(webtest.Patience))
	_, _ = io.WriteString(conn, request)
	return conn.(*net.TCPConn)
}

// A receiver takes the largest event, and refuses a longer body before its end comes.
func TestDocs_ReceiverLongBodies(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, s *webtest.Site, language, code string) {
		const limit = 256 << 10
		const frame = `{"id":"evt_1","type":"t","data":{"pad":""}}`
		_, secret := s.Endpoint(t, "https://shop.example/hook")
		address, _ := receiver(t, language, code, secret)
		event := strings.Replace(frame, `""`, `"`+strings.Repeat("a", limit-len(frame))+`"`, 1)
		for _, body := range []string{eventBody(t, s, largest(t, s), models.EventCheckoutCreated), event} {
			if got := deliver(t, address, body, sign(secret, body), ""); got != http.StatusNoContent {
				t.Errorf("an event of %d bytes: answered %d", len(body), got)
			}
		}
		head, part := "POST /webhooks HTTP/1.1\r\nHost: shop\r\n", strings.Repeat("a", 1<<16)
		chunked := http.StatusRequestEntityTooLarge
		if language == "python" {
			chunked = http.StatusLengthRequired // its server reads no chunks
		}
		for _, tc := range []struct {
			what, request string
			whole         bool
			want          int
		}{
			{"a byte more", head + "x-svc-signature: " + sign(secret, event+" ") + "\r\nContent-Length: " +
				strconv.Itoa(limit+1) + "\r\n\r\n" + event + " ", true, http.StatusRequestEntityTooLarge},
			{"the beginning of 1 MiB", head + "Content-Length: 1048576\r\n\r\n" + strings.Repeat(part, 5), false,
				http.StatusRequestEntityTooLarge},
			{"chunks without an end", head + "Transfer-Encoding: chunked\r\n\r\n" +
				strings.Repeat("10000\r\n"+part+"\r\n", 5), false, chunked},
		} {
			if language == "php" && !tc.whole {
				continue // its server for development reads a body before it runs the program
			}
			answer, err := http.ReadResponse(bufio.NewReader(send(t, address, tc.request)), nil)
			if err != nil || answer.StatusCode != tc.want {
				t.Errorf("%s: %v, %v, want %d", tc.what, answer, err, tc.want)
			}
		}
		small := `{"id":"evt_2","type":"t","data":{}}`
		if got := deliver(t, address, small, sign(secret, small), ""); got != http.StatusNoContent {
			t.Errorf("afterward an event is answered %d", got)
		}
	})
}

// largest creates a checkout whose event is as long as one can be, and returns its id.
func largest(t *testing.T, s *webtest.Site) string {
	t.Helper()
	long := func(n int) string { return strings.Repeat("\u2028", n) } // three bytes, six in JSON
	metadata := map[string]string{}
	for i := range 50 {
		metadata[fmt.Sprintf("%02d", i)+long(38)] = long(500)
	}
	encoded, err := json.Marshal(metadata)
	if err != nil {
		t.Fatal(err)
	}
	name := "n" + long(198) + "n"
	return s.Checkout(t, payments.NewCheckout{Description: "d" + long(498) + "d", ExternalID: strings.Repeat("e", 255),
		Customer: payments.Customer{Name: &name, Document: new(strings.Repeat("1", 32))}, Metadata: encoded}).ID
}

// Without its secret no receiver starts, or accepts anything.
func TestDocs_ReceiverWithoutSecret(t *testing.T) {
	t.Parallel()
	eachReceiver(t, func(t *testing.T, _ *webtest.Site, language, code string) {
		if language == "php" {
			return // php -S starts by itself
		}
		ctx, stop := context.WithTimeout(t.Context(), sampleTime)
		defer stop()
		for _, secret := range []string{"WEBHOOK_SECRET=", "NOTHING="} {
			out, err := server(t, ctx, language, code, "PORT=0", secret).CombinedOutput()
			if _, exited := errors.AsType[*exec.ExitError](err); !exited || ctx.Err() != nil ||
				!strings.Contains(string(out), "Set WEBHOOK_SECRET to the signing secret") {
				t.Errorf("with %s: %v: %s", secret, err, out)
			}
		}
	})
}

// server is like program, but what it returns is one process: go run would leave its child
// running when it is stopped.
func server(t *testing.T, ctx context.Context, language, code string, environment ...string) *exec.Cmd {
	t.Helper()
	command := program(t, ctx, language, files[language], code, environment...)
	command.Env = append(command.Env, "TMPDIR="+command.Dir) // where the one in PHP stores what it handled
	if language == "go" {
		built := filepath.Join(command.Dir, "receiver")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", built,
			command.Args[2]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		command.Path, command.Args = built, []string{built}
	}
	return command
}

// receiver starts a receiver and returns, once it listens, its address, and what tells
// what it has said once it is stopped.
func receiver(t *testing.T, language, code, secret string) (address string, said func() string) {
	t.Helper()
	address = servertest.Address(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), sampleTime)
	t.Cleanup(stop)
	command := server(t, ctx, language, code, "PORT="+port, "WEBHOOK_SECRET="+secret)
	if language == "php" {
		command.Args = []string{command.Args[0], "-S", address, command.Args[1]}
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(out)
		_ = command.Wait() // it was killed
		ended <- string(all)
	}()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return address, func() string { stop(); return <-ended }
		}
		select {
		case text := <-ended:
			t.Fatalf("the receiver ended: %s", text)
		case <-again.C:
		}
	}
}

// deliver posts an event, on a connection of its own, and returns the status of the answer.
func deliver(t *testing.T, address, body, signature, previous string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/webhooks",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	request.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{"x-svc-signature": signature, "x-svc-signature-previous": previous} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
