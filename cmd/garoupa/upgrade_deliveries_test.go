//go:build upgrades

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// jobsWereDeliveries is the last commit whose pending deliveries had jobs of River's. Its schema is 62.
const jobsWereDeliveries = "8e2539d54910345f66110cb1e98d3a8673199bf4"

// leftBehind are what a program with such jobs leaves: the time of one attempt has come, a person has asked for
// another one, and one event was never tried, since the program ended.
var leftBehind = []string{
	`WITH d AS (UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id =
			(SELECT id FROM webhook_deliveries ORDER BY id LIMIT 1) RETURNING id)
		UPDATE river_job SET scheduled_at = now() FROM d WHERE args->>'deliveryId' = d.id`,
	`INSERT INTO river_job (kind, max_attempts, queue, priority, args, unique_key, unique_states)
		SELECT 'deliver_webhook', 25, endpoint_id, 1, jsonb_build_object('deliveryId', id, 'manual', true),
			sha256(id::bytea), B'11111111' FROM webhook_deliveries ORDER BY id DESC LIMIT 1`,
	`WITH v AS (INSERT INTO events (id, project_id, livemode, type, test, body, created_at)
			SELECT 'evt_' || left(md5('never'), 24), project_id, livemode, type, true, body, created_at
			FROM events ORDER BY id LIMIT 1 RETURNING id, created_at),
		d AS (INSERT INTO webhook_deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
			SELECT 'dlv_' || left(md5('never'), 24), v.id, e.id, v.created_at, v.created_at
			FROM v, webhook_endpoints e WHERE NOT e.livemode RETURNING id, endpoint_id)
		INSERT INTO river_job (kind, max_attempts, queue, priority, args)
			SELECT 'deliver_webhook', 32767, endpoint_id, 2, jsonb_build_object('deliveryId', id) FROM d`,
}

// refusing is a merchant's server that refuses events until it is told to take them.
type refusing struct {
	mu    sync.Mutex
	takes bool
	posts map[string]int // that it took, by event and attempt
}

func (r *refusing) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	_, _ = io.Copy(io.Discard, request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.takes {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r.posts[request.Header.Get("x-svc-event-id")+" "+request.Header.Get("x-svc-attempt")]++
}

// What a program left waiting as jobs is delivered by this one: events of which no attempt was made, events
// whose attempts failed, and what a person asked for.
func TestUpgrade_Deliveries(t *testing.T) {
	t.Parallel()
	merchant := &refusing{posts: map[string]int{}}
	receiver := httptest.NewServer(merchant)
	t.Cleanup(receiver.Close)
	url := modelstest.NewEmptyURL(t)
	settings := []string{"GAROUPA_SECRET_KEY=" + strings.Repeat("ab", 32), "GAROUPA_WEBHOOK_BACKOFF=1h,1h,1h,1h"}
	before := newProgramOver(t, "DATABASE_URL="+url, settings...)
	before.file = buildAt(t, jobsWereDeliveries)
	after := newProgramOver(t, "DATABASE_URL="+url, settings...)
	old := before.serve()
	key := before.demo("--webhook-url", receiver.URL).Keys.Test
	db, err := models.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	count := func(what string) int { return modelstest.One[int](t, db, "SELECT count(*) FROM "+what) }
	for i := range 3 {
		before.create(key, fmt.Sprint("failed", i))
	}
	before.until("the first attempts failed", func() bool {
		return count("webhook_deliveries WHERE attempts = 1") == 3
	})
	before.kill(old)
	for _, sql := range leftBehind {
		modelstest.Exec(t, db, sql)
	}
	merchant.mu.Lock()
	merchant.takes = true
	merchant.mu.Unlock()
	after.serve()
	after.until("three have arrived", func() bool {
		return count("webhook_deliveries WHERE status = 'DELIVERED'") == 3
	})
	if n := count("webhook_attempts WHERE manual"); n != 1 {
		t.Errorf("%d attempts that a person asked for, want 1", n)
	}
	if n := count("webhook_deliveries WHERE status = 'PENDING' AND next_attempt_at > now()"); n != 1 {
		t.Errorf("%d deliveries wait for their time, want 1", n)
	}
	merchant.mu.Lock()
	defer merchant.mu.Unlock()
	for post, n := range merchant.posts {
		if n != 1 || len(merchant.posts) != 3 {
			t.Errorf("%s came %d times, of %d", post, n, len(merchant.posts))
		}
	}
}
