package main

import (
	"math/bits"
	"time"
)

// histogram counts durations in buckets. They are exact below 128 µs; above, a bucket is at
// most 1/64 of its value wide.
type histogram struct {
	counts [59 << 6]uint64
	total  uint64
}

const subBuckets = 6 // as a power of two

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(uint64(max(d, 0)/time.Microsecond))]++
	h.total++
}

func (h *histogram) merge(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}

// quantile returns the duration that a fraction q of all durations do not exceed, or 0 if
// there are none.
func (h *histogram) quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.total))
	var seen uint64
	for i, n := range h.counts {
		if seen += n; n > 0 && seen >= rank {
			return middleOf(i)
		}
	}
	return 0
}

func bucketOf(microseconds uint64) int {
	shift := bits.Len64(microseconds>>subBuckets) - 1
	if shift < 1 {
		return int(microseconds)
	}
	return shift<<subBuckets + int(microseconds>>shift)
}

func middleOf(bucket int) time.Duration {
	shift := bucket>>subBuckets - 1
	if shift < 1 {
		return time.Duration(bucket) * time.Microsecond
	}
	low := uint64(bucket-shift<<subBuckets) << shift
	return time.Duration(low+1<<(shift-1)) * time.Microsecond
}
