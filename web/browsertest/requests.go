package browsertest

import (
	"strings"

	"github.com/chromedp/cdproto/network"
)

// Request is one request that a page made over the network or from its cache.
type Request struct {
	Method string
	URL    string
	Type   string // the kind of resource: Document, Stylesheet, Script, Image, Font, Fetch, XHR, EventSource
	Status int    // 0 without an answer
	Bytes  int64  // received bytes: status line, headers and body as compressed; 0 from the cache
	Error  string // such as net::ERR_INTERNET_DISCONNECTED; "" if there was an answer
}

type request struct {
	Request
	done bool
}

// Requests returns the requests of the page since it was opened, in order, with each redirect
// separately. It leaves out the icon of the tab, because not every browser requests it. It
// waits for requests in progress, except for event streams.
func (p *Page) Requests() []Request {
	p.t.Helper()
	_, _ = evaluate[int](p, "0", p.timeout)
	var late *request
	finished := p.log.await(p.timeout, func() bool {
		late = nil
		for _, made := range p.log.requests {
			if !made.done && made.Type != string(network.ResourceTypeEventSource) {
				late = made
			}
		}
		return late == nil
	})
	if !finished {
		p.t.Fatalf("browsertest: %s %s got no complete answer within %s", late.Method, late.URL, p.timeout)
	}
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	list := make([]Request, len(p.log.requests))
	for i, made := range p.log.requests {
		list[i] = made.Request
	}
	return list
}

func (l *log) recordRequest(event any) {
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		if redirected := l.pending[event.RequestID]; redirected != nil && event.RedirectResponse != nil {
			redirected.Status = int(event.RedirectResponse.Status)
			redirected.Bytes = int64(event.RedirectResponse.EncodedDataLength)
			redirected.done = true
		}
		l.begin(event)
	case *network.EventResponseReceived:
		l.update(event.RequestID, func(made *request) {
			made.Status = int(event.Response.Status)
			made.Bytes = int64(event.Response.EncodedDataLength)
		})
	case *network.EventDataReceived:
		l.update(event.RequestID, func(made *request) { made.Bytes += event.EncodedDataLength })
	case *network.EventLoadingFinished:
		l.update(event.RequestID, func(made *request) {
			made.Bytes = int64(event.EncodedDataLength)
			made.done = true
		})
	case *network.EventLoadingFailed:
		l.update(event.RequestID, func(made *request) {
			made.Error = event.ErrorText
			made.done = true
		})
	}
}

// begin records a request, unless its URL contains the content itself, or it is for the icon
// of the tab: a browser with windows requests the icon, a headless one does not.
func (l *log) begin(event *network.EventRequestWillBeSent) {
	icon := event.Type == network.ResourceTypeOther && event.Initiator.Type == network.InitiatorTypeOther
	if icon || !strings.HasPrefix(event.Request.URL, "http") {
		return
	}
	made := &request{Request: Request{Method: event.Request.Method, URL: event.Request.URL, Type: string(event.Type)}}
	l.requests = append(l.requests, made)
	l.pending[event.RequestID] = made
}

func (l *log) update(id network.RequestID, change func(*request)) {
	if made := l.pending[id]; made != nil {
		change(made)
	}
}
