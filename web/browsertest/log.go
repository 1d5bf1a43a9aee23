package browsertest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// log records what the browser reports about one page. Events arrive on chromedp's goroutine,
// in the browser's order and before the answer to any later command.
type log struct {
	mu        sync.Mutex
	changed   chan struct{} // closed and replaced at every event
	frame     cdp.FrameID   // the main frame
	requested bool          // a navigation was requested and has not begun
	loading   bool          // the document or one of its resources is loading
	console   []string
	requests  []*request
	pending   map[network.RequestID]*request
}

func newLog() *log {
	return &log{changed: make(chan struct{}), pending: map[network.RequestID]*request{}}
}

func (l *log) record(event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled, *runtime.EventExceptionThrown, *cdplog.EventEntryAdded:
		l.recordConsole(event)
	case *page.EventFrameRequestedNavigation, *page.EventFrameStartedLoading, *page.EventFrameStoppedLoading,
		*page.EventFrameNavigated, *page.EventNavigatedWithinDocument:
		l.recordNavigation(event)
	default:
		l.recordRequest(event)
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *log) recordNavigation(event any) {
	switch event := event.(type) {
	case *page.EventFrameRequestedNavigation:
		if event.FrameID == l.frame && event.Disposition == page.ClientNavigationDispositionCurrentTab {
			l.requested = true
		}
	case *page.EventNavigatedWithinDocument:
		if event.FrameID == l.frame {
			l.requested = false
		}
	case *page.EventFrameStartedLoading:
		if event.FrameID == l.frame {
			l.requested, l.loading = false, true
		}
	case *page.EventFrameNavigated:
		if event.Frame.ParentID == "" {
			l.frame = event.Frame.ID
		}
	case *page.EventFrameStoppedLoading:
		if event.FrameID == l.frame {
			l.loading = false
		}
	}
}

func (l *log) recordConsole(event any) {
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if event.Type != runtime.ConsoleAPICalledTypeError && event.Type != runtime.ConsoleAPICalledTypeAssert {
			return
		}
		var words []string
		for _, arg := range event.Args {
			words = append(words, word(arg))
		}
		l.console = append(l.console, "console."+string(event.Type)+": "+strings.Join(words, " "))
	case *runtime.EventExceptionThrown:
		thrown := event.ExceptionDetails
		text := thrown.Text
		if thrown.Exception != nil {
			text += " " + word(thrown.Exception)
		}
		l.console = append(l.console, fmt.Sprintf("%s (%s:%d)", text, thrown.URL, thrown.LineNumber+1))
	case *cdplog.EventEntryAdded:
		if event.Entry.Level == cdplog.EntryLevelError {
			l.console = append(l.console, fmt.Sprintf("%s: %s (%s)", event.Entry.Source, event.Entry.Text,
				event.Entry.URL))
		}
	}
}

// word returns a console argument as the developer tools print it.
func word(value *runtime.RemoteObject) string {
	if value.Description != "" {
		return value.Description
	}
	return strings.Trim(string(value.Value), `"`)
}

func (l *log) mainFrame() cdp.FrameID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.frame
}

// expectNavigation announces a navigation that a command to the browser requests.
func (l *log) expectNavigation() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requested = true
}

// await waits until the condition, which it calls with the lock held, is true. It returns
// false when the time is over.
func (l *log) await(timeout time.Duration, condition func() bool) bool {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		l.mu.Lock()
		met, changed := condition(), l.changed
		l.mu.Unlock()
		if met {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		}
	}
}

// navigationGrace is how long a navigation that a page requested may take to begin. Some never
// begin, because another one replaced them or a policy blocked them.
const navigationGrace = 2 * time.Second

// settle waits for the navigation that the last step started, if it started one.
func (p *Page) settle() {
	p.t.Helper()
	// The browser reports the page's request for a navigation before it answers this command.
	// An error means that the document is gone already.
	_, _ = evaluate[int](p, "0", p.timeout)
	if !p.log.await(navigationGrace, func() bool { return !p.log.requested }) {
		p.log.mu.Lock()
		p.log.requested = false
		p.log.mu.Unlock()
	}
	p.loaded()
}

// loaded waits until the page and its resources are loaded.
func (p *Page) loaded() {
	p.t.Helper()
	if !p.log.await(p.timeout, func() bool { return !p.log.loading }) {
		p.t.Fatalf("browsertest: the page did not finish loading within %s%s", p.timeout, p.where())
	}
}
