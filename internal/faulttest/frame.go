package faulttest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Kinds of messages in PostgreSQL's protocol (PostgreSQL's documentation, "Message
// Formats").
const (
	frameBind          = 'B'
	frameParse         = 'P'
	frameQuery         = 'Q'
	frameSync          = 'S'
	frameTerminate     = 'X'
	frameReadyForQuery = 'Z'
)

// frameLimit bounds a message, so that garbage does not use all memory.
const frameLimit = 1 << 28

// frame is one message: its kind, which is 0 for the first message of a connection, and all
// its bytes.
type frame struct {
	kind byte
	raw  []byte
}

// body returns the part after the kind and the length.
func (f frame) body() []byte {
	if f.kind == 0 {
		return f.raw[4:]
	}
	return f.raw[5:]
}

// readFrame reads a message that has a kind.
func readFrame(r io.Reader) (frame, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return frame{}, err
	}
	return readRest(r, frame{kind: head[0], raw: head}, binary.BigEndian.Uint32(head[1:]))
}

// readFirstFrame reads the first message of a client, which has no kind.
func readFirstFrame(r io.Reader) (frame, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return frame{}, err
	}
	return readRest(r, frame{raw: head}, binary.BigEndian.Uint32(head))
}

// readRest reads the announced length, which includes itself.
func readRest(r io.Reader, f frame, length uint32) (frame, error) {
	if length < 4 || length > frameLimit {
		return frame{}, errors.New("faulttest: not a message of PostgreSQL's protocol")
	}
	rest := make([]byte, length-4)
	_, err := io.ReadFull(r, rest)
	f.raw = append(f.raw, rest...)
	return f, err
}

// statements maps the names of one connection's prepared statements to their SQL.
type statements map[string]string

// text returns the SQL that the message executes, or "".
func (s statements) text(f frame) string {
	switch f.kind {
	case frameQuery:
		return cString(f.body())
	case frameParse:
		name := cString(f.body())
		s[name] = cString(f.body()[len(name)+1:])
	case frameBind:
		portal := cString(f.body())
		return s[cString(f.body()[len(portal)+1:])]
	}
	return ""
}

// cString returns the text up to the first NUL.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
