package models_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"garoupa/internal/tracing"
	"garoupa/internal/tracing/tracingtest"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// A statement is a span below the work that waits for it, with placeholders in place of its arguments. Of an error it
// has the code: PostgreSQL's words may contain arguments.
func TestTraced(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	tracer, sent := tracingtest.Start(t)
	ctx, work := tracer.Work(t.Context(), "work")
	trace := tracing.ID(ctx)
	if _, err := db.Pool.Exec(ctx, "SELECT $1::text::integer", "x52998224725"); err == nil {
		t.Fatal("no error")
	}
	if err := db.DB.WithContext(ctx).Where("id = ?", "acct_secret").First(&models.Account{}).Error; err == nil {
		t.Fatal("no error")
	}
	if err := db.InTx(ctx, func(*models.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	work.End()
	var names []string
	spans := sent(trace)
	for _, span := range spans {
		names = append(names, span.Name+" "+span.Texts["error.type"])
		if span.Name != "work" && (span.Texts["db.system.name"] != "postgresql" || span.Parent == "") {
			t.Errorf("%+v", span)
		}
	}
	if want := []string{"SELECT 22P02", "SELECT accounts ", "BEGIN ", "COMMIT ", "work "}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if text := fmt.Sprintf("%+v", spans); strings.Contains(text, "52998224725") || strings.Contains(text, "secret") {
		t.Error("the spans contain arguments:", text)
	}
}

// Values that are written together belong to the trace of the first, and those that are written apart to their own.
func TestBatch_Traced(t *testing.T) {
	t.Parallel()
	tracer, sent := tracingtest.Start(t)
	begun, enough := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var mu sync.Mutex
	written := map[int]string{} // the traces in which a value was written, by value
	batch := models.NewBatch(10, 1, func(ctx context.Context, values []int) ([]int, error) {
		begin()
		<-enough
		mu.Lock()
		defer mu.Unlock()
		for _, v := range values {
			written[v] += tracing.ID(ctx) + " "
		}
		if len(values) > 1 && slices.Contains(values, 3) {
			return nil, fmt.Errorf("not together with %d", 3)
		}
		return values, nil
	})
	var traces [4]string
	var adding sync.WaitGroup
	add := func(v int) {
		ctx, span := tracer.Work(t.Context(), fmt.Sprint(v))
		traces[v] = tracing.ID(ctx)
		adding.Go(func() {
			defer span.End()
			if _, err := batch.Add(ctx, v); err != nil {
				t.Error(err)
			}
		})
		for batch.State().Waiting <= v {
		}
	}
	add(0)
	<-begun
	add(1)
	add(2)
	add(3)
	close(enough)
	adding.Wait()
	for v, want := range []string{traces[0] + " ", traces[1] + " " + traces[1] + " ", traces[1] + " " + traces[2] + " ",
		traces[1] + " " + traces[3] + " "} {
		if written[v] != want {
			t.Errorf("%d was written in %q, want %q", v, written[v], want)
		}
	}
	commits := 0
	for _, span := range sent(traces[1]) {
		if span.Name == "batch" {
			commits++
			if len(span.Links) != 2 {
				t.Errorf("%+v", span)
			}
		}
	}
	if commits != 1 {
		t.Errorf("%d commits", commits)
	}
}
