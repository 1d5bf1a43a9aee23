package jobs_test

import (
	"context"
	"fmt"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/internal/mail"
	"garoupa/internal/mail/mailtest"
	"garoupa/internal/tracing/tracingtest"
	"garoupa/jobs"
	"garoupa/payments"
)

// Jobs, sweeps that did something and attempts are traces. Attempts are linked to what made their event, and tell the
// endpoint where they belong. None says whom a mail or an endpoint is for.
func TestTraced(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	g := newGateway(t, quick...)
	mails := mailtest.New(t, mailtest.Options{})
	smtp, err := mail.ParseServer("smtp://" + mails.Address)
	if err != nil {
		t.Fatal(err)
	}
	runner := g.startWith(t, func(o *jobs.Options) {
		o.Tracer = tracer
		o.Mail = &mail.Sender{Writer: &mail.Writer{Vault: g.Vault, AppURL: "https://app.example",
			CheckoutURL: "https://pay.example"}, Server: smtp, From: netmail.Address{Address: "pix@garoupa.example"}}
	})
	g.write(t, "ana@example.com", time.Now(), "fact")
	mails.Next(t)
	g.settled(t)
	due := g.checkout(t, payments.NewCheckout{ExpiresIn: time.Hour})
	r := newReceiver(t, answers(500, 200))
	g.Endpoint(t, r.url) // which is not told of the creation
	if _, err := g.DB.Pool.Exec(t.Context(), "UPDATE checkouts SET expires_at = now()"); err != nil {
		t.Fatal(err)
	}
	parents := []string{r.next(t).header.Get("traceparent"), r.next(t).header.Get("traceparent")}
	g.idle(t)
	if err := runner.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}

	spans := sent("")
	named := func(name string) (found []tracingtest.Span) {
		for _, s := range spans {
			if s.Name == name {
				found = append(found, s)
			}
		}
		return found
	}
	if jobs := named("send_mail"); len(jobs) != 1 || jobs[0].Parent != "" || jobs[0].Failed {
		t.Errorf("%+v", jobs)
	}
	sweeps, deliveries, posts := named("expire checkouts"), named("deliver a webhook"), named("POST")
	sweeps = slices.DeleteFunc(sweeps, func(s tracingtest.Span) bool { return interrupted(spans, s) })
	if len(sweeps) != 1 || len(deliveries) != 2 || len(posts) != 2 {
		t.Fatalf("sweeps %+v, deliveries %+v and posts %+v", sweeps, deliveries, posts)
	}
	for i, post := range posts {
		at := slices.IndexFunc(deliveries, func(s tracingtest.Span) bool { return s.ID == post.Parent })
		if at < 0 || !slices.Equal(deliveries[at].Links, []string{sweeps[0].ID}) {
			t.Errorf("%+v", deliveries)
		}
		if status := []int64{500, 200}[i]; post.Numbers["http.response.status_code"] != status ||
			post.Numbers["garoupa.attempt"] != int64(i+1) || post.Failed != (status == 500) ||
			parents[i] != "00-"+post.Trace+"-"+post.ID+"-01" {
			t.Errorf("%+v of %q", post, parents)
		}
	}
	text := fmt.Sprintf("%+v", spans)
	for _, secret := range []string{"ana@example", "127.0.0.1", "/hook", due.ID, due.TxID} {
		if strings.Contains(text, secret) {
			t.Errorf("the spans contain %s", secret)
		}
	}
	var stored string
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT headers::text FROM webhook_attempts
		WHERE number = 1`).Scan(&stored); err != nil || !strings.Contains(stored, parents[0]) {
		t.Errorf("the attempt is stored with %s, %v", stored, err)
	}
}

// interrupted reports whether a span of the sweep's trace failed, because the runner was stopped meanwhile.
func interrupted(spans []tracingtest.Span, sweep tracingtest.Span) bool {
	return slices.ContainsFunc(spans, func(s tracingtest.Span) bool { return s.Failed && s.Trace == sweep.Trace })
}
