package models_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"garoupa/models"
)

// gathered adds n values to a batch while its only commit is in progress, so that the values
// share the next commit. begun and goOn come from gate.
func gathered(t *testing.T, b *models.Batch[int, int], begun <-chan struct{}, goOn chan<- struct{},
	values ...int) (outs []int, errs []error) {
	t.Helper()
	var group sync.WaitGroup
	group.Go(func() { _, _ = b.Add(context.Background(), -1) })
	<-begun
	outs, errs = make([]int, len(values)), make([]error, len(values))
	for i, v := range values {
		group.Go(func() {
			outs[i], errs[i] = b.Add(context.Background(), v)
		})
	}
	for b.Waiting() < len(values) {
		time.Sleep(time.Millisecond)
	}
	close(goOn)
	group.Wait()
	return outs, errs
}

// gate returns a write function whose first call closes begun, waits until the test closes
// goOn, and succeeds. Later calls call write.
func gate(write func(ctx context.Context, values []int) ([]int, error)) (
	_ func(ctx context.Context, values []int) ([]int, error), begun, goOn chan struct{},
) {
	begun, goOn = make(chan struct{}), make(chan struct{})
	var once sync.Once
	return func(ctx context.Context, values []int) ([]int, error) {
		first := false
		once.Do(func() { first = true })
		if first {
			close(begun)
			<-goOn
			return values, nil
		}
		return write(ctx, values)
	}, begun, goOn
}

// A value that makes write panic or fail affects no other value, and the batch goes on.
func TestBatch_OneFails(t *testing.T) {
	t.Parallel()
	refused := &pgconn.PgError{Code: "23514"}
	write, begun, goOn := gate(func(_ context.Context, values []int) ([]int, error) {
		switch {
		case slices.Contains(values, 3):
			panic("three")
		case slices.Contains(values, 5):
			return nil, refused
		}
		return values, nil
	})
	b := models.NewBatch(64, 1, write)
	outs, errs := gathered(t, b, begun, goOn, 1, 2, 3, 4, 5, 6)
	for i, v := range []int{1, 2, 3, 4, 5, 6} {
		switch {
		case v == 3 && (errs[i] == nil || !strings.Contains(errs[i].Error(), "panic")),
			v == 5 && !errors.Is(errs[i], refused), v != 3 && v != 5 && (errs[i] != nil || outs[i] != v):
			t.Errorf("%d: %d, %v", v, outs[i], errs[i])
		}
	}
	for range 3 { // the batch still works
		if _, err := b.Add(t.Context(), 3); err == nil {
			t.Error("writing 3 alone returned no error")
		}
		if out, err := b.Add(t.Context(), 7); out != 7 || err != nil {
			t.Errorf("7 alone: %d, %v", out, err)
		}
	}
}

// Values whose connection broke are written again together. If the wait for a lock failed,
// they are written apart. In an outage all get an error, and none is tried alone.
func TestBatch_Fails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err    error
		times  int // number of writes of all values that fail with err
		writes int
		failed bool
	}{
		"a broken connection":                {&pgconn.PgError{Code: "57P01"}, 2, 3, false},
		"many broken connections":            {&pgconn.PgError{Code: "57P01"}, 100, 6, true},
		"a lock held by another transaction": {&pgconn.PgError{Code: "55P03"}, 1, 11, false},
		"a deadlock":                         {&pgconn.PgError{Code: "40P01"}, 1, 11, false},
		"a read-only database":               {&pgconn.PgError{Code: "25006"}, 1, 1, true},
		"a full disk":                        {&pgconn.PgError{Code: "53100"}, 1, 1, true},
		"a server that refuses connections":  {&pgconn.ConnectError{}, 1, 1, true},
		"a statement that took too long":     {&pgconn.PgError{Code: "57014"}, 1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var writes, failures atomic.Int64
			write, begun, goOn := gate(func(_ context.Context, values []int) ([]int, error) {
				writes.Add(1)
				if len(values) > 1 && failures.Add(1) <= int64(tc.times) {
					return nil, tc.err
				}
				return values, nil
			})
			outs, errs := gathered(t, models.NewBatch(64, 1, write), begun, goOn, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
			for i := range outs {
				if tc.failed != (errs[i] != nil) || !tc.failed && outs[i] != i {
					t.Errorf("%d: %d, %v", i, outs[i], errs[i])
				}
			}
			if writes.Load() != int64(tc.writes) {
				t.Errorf("written %d times, want %d", writes.Load(), tc.writes)
			}
		})
	}
}

// Writing values apart does not delay the next commit.
func TestBatch_ApartHoldsNoCommit(t *testing.T) {
	t.Parallel()
	stuck, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	write, begun, goOn := gate(func(ctx context.Context, values []int) ([]int, error) {
		if len(values) > 1 {
			return nil, &pgconn.PgError{Code: "55P03"}
		}
		if values[0] == 1 {
			once.Do(func() { close(stuck) })
			<-release
		}
		return values, nil
	})
	b := models.NewBatch(64, 1, write)
	var group errgroup.Group
	group.Go(func() error {
		_, errs := gathered(t, b, begun, goOn, 1, 2)
		return errors.Join(errs...)
	})
	<-stuck
	if out, err := b.Add(t.Context(), 9); out != 9 || err != nil {
		t.Errorf("the next commit's value: %d, %v", out, err)
	}
	close(release)
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// A value whose caller has gone is not written.
func TestBatch_CallerGone(t *testing.T) {
	t.Parallel()
	var written []int
	write, begun, goOn := gate(func(_ context.Context, values []int) ([]int, error) {
		written = append(written, values...)
		return values, nil
	})
	b := models.NewBatch(64, 1, write)
	var group sync.WaitGroup
	group.Go(func() { _, _ = b.Add(context.Background(), -1) })
	<-begun
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := b.Add(ctx, 1)
		left <- err
	}()
	for b.Waiting() < 1 {
		time.Sleep(time.Millisecond)
	}
	group.Go(func() { _, _ = b.Add(context.Background(), 2) })
	for b.Waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v", err)
	}
	close(goOn)
	group.Wait()
	if !slices.Equal(written, []int{2}) {
		t.Errorf("written: %v, want only 2", written)
	}
}

// A full batch refuses more values at once, and accepts values again once it has answered
// some.
func TestBatch_Overloaded(t *testing.T) {
	t.Parallel()
	write, begun, goOn := gate(func(_ context.Context, values []int) ([]int, error) { return values, nil })
	b := models.NewBatch(2, 1, write)
	var group errgroup.Group
	add := func() {
		group.Go(func() error {
			_, err := b.Add(context.Background(), 0)
			return err
		})
	}
	add()
	<-begun
	const room = 2 * 16
	for range room - 1 {
		add()
	}
	for b.Waiting() < room-1 {
		time.Sleep(time.Millisecond)
	}
	if _, err := b.Add(t.Context(), 1); !errors.Is(err, models.ErrOverloaded) {
		t.Errorf("adding to a full batch: %v", err)
	}
	close(goOn)
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if out, err := b.Add(t.Context(), 1); out != 1 || err != nil {
		t.Errorf("afterwards: %d, %v", out, err)
	}
}
