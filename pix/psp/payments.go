package psp

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Window selects received Pix.
type Window struct {
	// Both ends are included. A zero Until is now by the bank's clock, and is fixed by the first
	// page.
	From, Until time.Time
	TxID        string // only those of this charge, if set
	// Returned selects only Pix with returns. A bank that cannot filter gives all.
	Returned bool
	// MostPages limits the pages that AllPayments reads of a window, or of each part of a long one: with more it
	// fails with ManyPages. 0 is no limit.
	MostPages int
}

// Page is one page of received Pix.
type Page struct {
	Payments []Payment
	Window   Window  // the one asked for, with Until fixed: ask for the next page with it
	Pages    int     // number of pages
	Total    int     // number of Pix on all pages
	Unread   []error // why Pix of the page cannot be read; Payments has the others
}

// ErrUnread reports that a list has Pix that cannot be read. The others of the list can be recorded.
var ErrUnread = errors.New("psp: the list has Pix that cannot be read")

// ManyPages is the error of a list with more pages than its window allows.
type ManyPages struct{ Pages int }

// Error implements error.
func (e ManyPages) Error() string {
	return fmt.Sprintf("psp: the list has %d pages, more than are to be read", e.Pages)
}

// readings is how often AllPayments reads a list that changes while it is read.
const readings = 3

// AllPayments reads all pages. Pix that arrive meanwhile can move others to a page that was
// already read. So if the pages disagree on the total, or do not have as many different Pix, all
// are read again, three times at most. settled reports whether one reading was undisturbed; all
// holds each Pix of all readings once, as it was read last. A Pix may be missing if settled is
// false. If some Pix cannot be read, err is ErrUnread, and all has the others. With any other error
// all has what was read before it. A window that is longer than the bank's longest is read in parts,
// each as if it were the window.
func AllPayments(ctx context.Context, b Bank, w Window) (all []Payment, settled bool, err error) {
	place := map[string]int{} // of a Pix in all, by its EndToEndID
	add := func(p Payment) {
		if i, known := place[p.EndToEndID]; known {
			all[i] = p
			return
		}
		place[p.EndToEndID] = len(all)
		all = append(all, p)
	}
	settled = true
	var unread []error
	for _, part := range w.parts(b) {
		calm, left, err := readPart(ctx, b, part, add)
		if err != nil {
			return all, false, err
		}
		settled, unread = settled && calm, append(unread, left...)
	}
	if len(unread) > 0 {
		err = fmt.Errorf("%w: %w", ErrUnread, errors.Join(unread...))
	}
	return all, settled, err
}

// parts divides a window into those that the bank takes. Both ends of each are included, so neighbors share one.
func (w Window) parts(b Bank) (all []Window) {
	if w.Until.IsZero() {
		w.Until = b.Now()
	}
	longest := b.LongestWindow()
	for rest := w; ; rest.From = rest.From.Add(longest) {
		if rest.Until.Sub(rest.From) <= longest {
			return append(all, rest)
		}
		part := rest
		part.Until = rest.From.Add(longest)
		all = append(all, part)
	}
}

// readPart reads a window that the bank takes until one reading is undisturbed, and returns why Pix cannot be read.
func readPart(ctx context.Context, b Bank, w Window, add func(Payment)) (settled bool, unread []error, err error) {
	for range readings {
		if w, settled, unread, err = readPages(ctx, b, w, add); err != nil || settled {
			break
		}
	}
	return settled, unread, err
}

// readPages reads all pages once and returns the window with its end fixed, and why Pix cannot be read.
func readPages(ctx context.Context, b Bank, w Window, add func(Payment)) (fixed Window, settled bool, unread []error,
	err error) {
	page, err := b.Payments(ctx, w, 0)
	if err != nil {
		return w, false, nil, err
	}
	if w.MostPages > 0 && page.Pages > w.MostPages {
		return w, false, nil, ManyPages{page.Pages}
	}
	first, seen := page, map[string]bool{}
	settled = true
	for number := 1; ; number++ {
		for _, p := range page.Payments {
			seen[p.EndToEndID] = true
			add(p)
		}
		unread = append(unread, page.Unread...)
		if number >= page.Pages || len(page.Payments)+len(page.Unread) == 0 {
			break
		}
		if page, err = b.Payments(ctx, first.Window, number); err != nil {
			return w, false, nil, err
		}
		settled = settled && page.Total == first.Total
	}
	return first.Window, settled && len(seen)+len(unread) == first.Total, unread, nil
}
