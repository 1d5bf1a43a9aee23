package payments_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Owners and developers get a mail about failed events, at most once an hour, and the owner
// gets one about an endpoint that was turned off. For a test endpoint they get one until it
// succeeds, and at most one a day.
func TestRecordAttempt_Mails(t *testing.T) {
	t.Parallel()
	t.Run("live", func(t *testing.T) {
		t.Parallel()
		f := newFailing(t, models.Live)
		f.lose(t, 2)
		f.told(t, "two failures in a moment", "webhook_failing", 1, 0)
		f.Clock.Advance(time.Hour)
		f.lose(t, 7)
		f.told(t, "an hour later", "webhook_failing", 2, 0)
		f.Clock.Advance(5 * 24 * time.Hour)
		f.lose(t, 1)
		f.told(t, "after five days", "webhook_failing", 2, 1)
	})
	t.Run("test", func(t *testing.T) {
		t.Parallel()
		f := newFailing(t, models.Test)
		f.lose(t, 1)
		f.told(t, "at first", "webhook_failing_test", 1, 0)
		f.Clock.Advance(25 * time.Hour)
		f.lose(t, 1)
		f.told(t, "the next day", "webhook_failing_test", 1, 0)
		f.attempt(t, "")
		f.lose(t, 1)
		f.told(t, "after a success", "webhook_failing_test", 2, 0)
		f.attempt(t, "")
		f.lose(t, 9)
		f.told(t, "after another, within a day", "webhook_failing_test", 2, 0)
		f.Clock.Advance(5 * 24 * time.Hour)
		f.lose(t, 1)
		f.told(t, "after five days", "webhook_failing_test", 2, 1)
	})
}

// failing is a gateway with a failing endpoint of an account with an owner, a developer and a
// finance member.
type failing struct {
	*paymentstest.Gateway
	endpoint  *models.Endpoint
	developer string // the developer's email address
}

func newFailing(t *testing.T, environment models.Environment) *failing {
	t.Helper()
	f := &failing{Gateway: paymentstest.New(t)}
	if environment == models.Live {
		f.GoLive(t)
		f.Test = f.Live // everything that follows is live
	}
	f.endpoint, _ = f.Endpoint(t, "http://127.0.0.1:8090/hook?token=secret")
	f.developer = addMember(t, f.Gateway, models.RoleDeveloper)
	addMember(t, f.Gateway, models.RoleFinance)
	return f
}

// attempt creates a checkout and records the first attempt of its event. class is the
// failure, "" for a success.
func (f *failing) attempt(t *testing.T, class string) {
	t.Helper()
	f.Clock.Advance(time.Second)
	f.Checkout(t, payments.NewCheckout{})
	f.again(t, class)
}

func (f *failing) again(t *testing.T, class string) {
	t.Helper()
	d := delivery(t, f.Gateway, f.endpoint.ID)
	if err := f.RecordAttempt(t.Context(), d, nil,
		models.Attempt{ErrorClass: class, StartedAt: f.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
}

// lose creates events whose deliveries fail for good.
func (f *failing) lose(t *testing.T, events int) {
	t.Helper()
	for range events {
		f.attempt(t, "dns")
		for range 4 {
			f.again(t, "dns")
		}
	}
}

// told fails the test unless owner and developer have got failures mails of the kind, the
// owner has got disabled mails about an endpoint that was turned off, and no other mail was
// sent. The mails must contain only the host, because a URL may contain a token.
func (f *failing) told(t *testing.T, when, kind string, failures, disabled int) {
	t.Helper()
	want := map[string]int{kind + " " + f.Email: failures, kind + " " + f.developer: failures}
	if disabled > 0 {
		want[strings.Replace(kind, "failing", "disabled", 1)+" "+f.Email] = disabled
	}
	mails, err := models.LatestMails(t.Context(), f.DB.Pool, 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, m := range mails {
		got[m.Kind+" "+m.To]++
		if m.Params["host"] != "127.0.0.1:8090" || m.Params["endpoint"] != f.endpoint.ID ||
			strings.Contains(fmt.Sprint(m), "secret") {
			t.Errorf("%s: %+v", when, m)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}
