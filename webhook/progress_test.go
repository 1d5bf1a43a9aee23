package webhook

import (
	"net/http/httptrace"
	"testing"
)

// The attempt got an idle connection while its own dial was still running. The later steps of
// that dial do not change the attempt's phase.
func TestProgressNeverGoesBack(t *testing.T) {
	t.Parallel()
	var reached progress
	trace := reached.trace()
	trace.ConnectStart("tcp", "")
	if got := reached.phase(); got != connecting {
		t.Errorf("after the start of a connection: %v", got)
	}
	trace.GotConn(httptrace.GotConnInfo{})
	trace.ConnectStart("tcp", "")
	trace.TLSHandshakeStart()
	if got := reached.phase(); got != answering {
		t.Errorf("after the connection: %v", got)
	}
}
