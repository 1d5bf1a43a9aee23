package jobs_test

import (
	"testing"
	"time"

	"garoupa/jobs"
	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// Where a person logged in is forgotten when it no longer counts, and wrong codes after a day.
func TestForget_Places(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	now := time.Now().UTC()
	modelstest.Exec(t, g.DB, `INSERT INTO log_in_places (user_id, place, last_at)
		SELECT $1, sha256(n::text::bytea), $2 FROM generate_series(1, 5001) n`, g.Owner.UserID, now)
	modelstest.Exec(t, g.DB, "INSERT INTO wrong_codes VALUES ($1, $2, 3)", g.Owner.UserID, now)
	for _, tc := range []struct {
		after               time.Duration
		wantPlaces, wantTry int
	}{
		{23 * time.Hour, 5001, 1}, {49 * time.Hour, 5001, 0}, {merchants.PlaceLifetime, 5001, 0},
		{merchants.PlaceLifetime + time.Second, 0, 0},
	} {
		if err := jobs.Forget(t.Context(), g.DB.Pool, now.Add(tc.after), 90*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		places := modelstest.One[int](t, g.DB, "SELECT count(*) FROM log_in_places")
		tries := modelstest.One[int](t, g.DB, "SELECT count(*) FROM wrong_codes")
		if places != tc.wantPlaces || tries != tc.wantTry {
			t.Errorf("after %s there are %d places and %d counts", tc.after, places, tries)
		}
	}
}
