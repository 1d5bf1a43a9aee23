package migrations

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A step is repeated while its tables are in use, but not forever.
func TestPatiently(t *testing.T) {
	t.Parallel()
	busy, broken := &pgconn.PgError{Code: "55P03"}, &pgconn.PgError{Code: "42601"}
	for name, tc := range map[string]struct {
		errs []error // of the runs; the last one repeats
		runs int
		want error
	}{
		"free":               {[]error{nil}, 1, nil},
		"in use for a while": {[]error{busy, &pgconn.PgError{Code: "40P01"}, busy, nil}, 4, nil},
		"in use":             {[]error{busy}, attempts, busy},
		"wrong":              {[]error{busy, broken}, 2, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				err := patiently(t.Context(), "a step", func() error {
					runs++
					return tc.errs[min(runs, len(tc.errs))-1]
				})
				if runs != tc.runs || !errors.Is(err, tc.want) {
					t.Errorf("%d runs, %v; want %d, %v", runs, err, tc.runs, tc.want)
				}
			})
		})
	}
}

// A program that is stopped does not try again.
func TestPatiently_Stopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := patiently(ctx, "a step", func() error { return &pgconn.PgError{Code: "55P03"} })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("patiently returned %v", err)
		}
	})
}
