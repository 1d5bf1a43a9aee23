package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"time"
)

// patience is how long an answer may take before it counts as lost.
const patience = 10 * time.Second

// connection sends prepared bytes as requests, one after the other, over one connection
// that stays open. It does as little as possible, because its own cost is taken from the
// server on the same machine.
type connection struct {
	net.Conn
	buffer []byte
}

func dial(address string) (*connection, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, buffer: make([]byte, 64<<10)}, nil
}

var (
	endOfHeader   = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
	errNotHTTP    = errors.New("the answer is not one of HTTP/1.1 with a Content-Length")
)

// ask sends a request and returns the body of its answer, which is valid until the next
// call. Any status other than 200, 201 and 303 is an error.
func (c *connection) ask(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	read, body := 0, 0
	for body == 0 {
		n, err := c.Read(c.buffer[read:])
		if err != nil {
			return nil, err
		}
		read += n
		if at := bytes.Index(c.buffer[:read], endOfHeader); at >= 0 {
			body = at + len(endOfHeader)
		} else if read == len(c.buffer) {
			return nil, errNotHTTP
		}
	}
	length, err := lengthOf(c.buffer[:body])
	if err != nil {
		return nil, err
	}
	end := body + length
	if end > len(c.buffer) {
		c.buffer = slices.Grow(c.buffer, end-len(c.buffer))[:end]
	}
	if read < end {
		if _, err := io.ReadFull(c, c.buffer[read:end]); err != nil {
			return nil, err
		}
	}
	if status := string(c.buffer[len("HTTP/1.1 "):][:3]); status != "200" && status != "201" && status != "303" {
		return nil, fmt.Errorf("the answer is %s: %.500s", status, c.buffer[body:end])
	}
	return c.buffer[body:end], nil
}

// lengthOf returns the length of the body that a header announces.
func lengthOf(header []byte) (int, error) {
	at := bytes.Index(header, contentLength)
	if at < 0 || !bytes.HasPrefix(header, []byte("HTTP/1.1 ")) {
		return 0, errNotHTTP
	}
	digits, _, _ := bytes.Cut(header[at+len(contentLength):], []byte("\r\n"))
	n, err := strconv.Atoi(string(digits))
	if err != nil || n < 0 {
		return 0, errNotHTTP
	}
	return n, nil
}
