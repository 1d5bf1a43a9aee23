package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"garoupa/webhook"
)

// printer prints what listen does, for people or as JSON objects. Each line is one write, so
// lines of several goroutines do not mix.
type printer struct {
	out  io.Writer
	json bool
}

// began prints the start.
func (p printer) began(server, target, secret string) {
	if p.json {
		p.object(map[string]any{"server": server, "forwardTo": target, "secret": secret})
		return
	}
	fmt.Fprintf(p.out, "Forwarding test events of %s to %s\nSigning secret: %s\nCtrl-C stops.\n\n", server, target,
		secret)
}

// note prints a line with the time.
func (p printer) note(text string) {
	if p.json {
		p.object(map[string]any{"time": time.Now().UTC(), "note": text})
		return
	}
	fmt.Fprintf(p.out, "%s  %s\n", time.Now().Format(time.TimeOnly), text)
}

// attempted prints an attempt, and the wait for the next, if there will be one.
func (p printer) attempted(e testEvent, number int, o webhook.Outcome, again time.Duration) {
	if p.json {
		p.object(map[string]any{"time": time.Now().UTC(), "type": e.kind, "id": e.id, "attempt": number, "ok": o.OK,
			"status": o.StatusCode, "error": o.Detail, "durationMs": o.Duration.Milliseconds(),
			"againInMs": again.Milliseconds()})
		return
	}
	status, next := strconv.Itoa(o.StatusCode), ""
	if o.StatusCode == 0 {
		status = o.Detail
	}
	switch {
	case again > 0:
		next = fmt.Sprintf("; attempt %d in %s", number+1, again)
	case !o.OK:
		next = fmt.Sprintf("; given up after %d attempts", number)
	}
	p.note(fmt.Sprintf("%-18s %s  %s  %d ms%s", e.kind, e.id, status, o.Duration.Milliseconds(), next))
}

func (p printer) object(o map[string]any) {
	line, err := json.Marshal(o)
	if err != nil {
		line = []byte(`{}`)
	}
	fmt.Fprintf(p.out, "%s\n", line)
}
