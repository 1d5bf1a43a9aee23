package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"
)

// generate sends requests over several connections for a time; each connection waits for an
// answer before its next request. requestsOf gets a random generator for each connection.
func generate(ctx context.Context, address string, connections int, length time.Duration,
	requestsOf func(*rand.Rand) requests) (result, error) {
	open := make([]*connection, connections)
	for i := range open {
		var err error
		if open[i], err = dial(address); err != nil {
			return result{}, err
		}
		defer open[i].Close()
	}
	group, ctx := errgroup.WithContext(ctx)
	histograms := make([]histogram, connections)
	start := time.Now()
	for i, conn := range open {
		next := requestsOf(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
		group.Go(func() error { return drive(ctx, conn, next, start.Add(length), &histograms[i]) })
	}
	if err := group.Wait(); err != nil {
		return result{}, fmt.Errorf("measure the product: %w", err)
	}
	took := time.Since(start)
	all := &histogram{}
	for i := range histograms {
		all.merge(&histograms[i])
	}
	return result{rate: float64(all.total) / took.Seconds(), p50: all.quantile(0.50), p99: all.quantile(0.99)}, nil
}

// drive sends at least one request, until the deadline, and returns when the last one is
// answered.
func drive(ctx context.Context, conn *connection, next requests, deadline time.Time, h *histogram) error {
	if err := conn.SetDeadline(deadline.Add(patience)); err != nil {
		return err
	}
	for sent := time.Now(); ; {
		if _, err := conn.ask(next()); err != nil {
			return err
		}
		answered := time.Now()
		h.add(answered.Sub(sent))
		if sent = answered; !sent.Before(deadline) || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
