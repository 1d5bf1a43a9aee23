package auditlog

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// partBytes is about how much one request carries.
	partBytes = 256 << 10
	// postWithin limits one request.
	postWithin = 10 * time.Second
)

// Receiver takes lines, each with its line break, or fails. It may have taken some of them when it fails, so lines
// come at least once.
type Receiver interface {
	Send(ctx context.Context, lines [][]byte) error
}

// File appends lines to a file.
type File struct{ Path string }

// Send implements Receiver. It opens the file each time, so that a file that was moved is followed by a new one, and
// returns when the lines are on the disk.
func (f File) Send(_ context.Context, lines [][]byte) (err error) {
	file, err := os.OpenFile(f.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return withoutPath(err)
	}
	defer func() { err = errors.Join(err, withoutPath(file.Close())) }()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return withoutPath(err)
	}
	text := slices.Concat(lines...)
	if end > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, end-1); err != nil {
			return withoutPath(err)
		}
		if last[0] != '\n' { // an interrupted write
			text = append([]byte{'\n'}, text...)
		}
	}
	if _, err := file.Write(text); err != nil {
		return withoutPath(err)
	}
	if err := file.Sync(); err != nil {
		return withoutPath(err)
	}
	if end > 0 {
		return nil
	}
	folder, err := os.Open(filepath.Dir(f.Path))
	if err != nil {
		return withoutPath(err)
	}
	return withoutPath(errors.Join(folder.Sync(), folder.Close())) // keeps the name of a new file
}

// withoutPath returns the error of the operating system alone.
func withoutPath(err error) error {
	if of, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("%s: %w", of.Op, of.Err)
	}
	return err
}

// Endpoint posts lines to an https address.
type Endpoint struct {
	address, authorization string
	client                 *http.Client
}

// NewEndpoint returns a receiver at an address. authorization is the value of the header, "" for none; roots are the
// certificates to trust, nil for those of the system. Redirects are not followed, since they would carry the lines
// elsewhere, and the proxies of the environment are not used.
func NewEndpoint(address, authorization string, roots *x509.CertPool) *Endpoint {
	return &Endpoint{address, authorization, &http.Client{
		Timeout:       postWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: postWithin, MaxIdleConns: 1, IdleConnTimeout: time.Minute,
		},
	}}
}

// Send implements Receiver. Every answer other than 2xx is a failure.
func (e *Endpoint) Send(ctx context.Context, lines [][]byte) error {
	for len(lines) > 0 {
		n, size := 0, 0
		for n < len(lines) && (n == 0 || size+len(lines[n]) <= partBytes) {
			size += len(lines[n])
			n++
		}
		if err := e.post(ctx, slices.Concat(lines[:n]...)); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

func (e *Endpoint) post(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be read")
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	if e.authorization != "" {
		request.Header.Set("Authorization", e.authorization)
	}
	answer, err := e.client.Do(request)
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err // without the address, which may contain a secret
	} else if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)); err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("answered %d", answer.StatusCode)
	}
	return nil
}

// Authorization returns the header for a token: "Bearer" precedes a token that does not name its scheme.
func Authorization(token string) string {
	if token == "" || strings.Contains(token, " ") {
		return token
	}
	return "Bearer " + token
}

// NewReceiver returns the receiver that a setting names, file:/path or an https address, or nil for "". Its error
// does not repeat the value.
func NewReceiver(target, token string) (Receiver, error) {
	if target == "" {
		return nil, nil
	}
	if path, ok := strings.CutPrefix(target, "file:"); ok {
		if !filepath.IsAbs(path) || strings.HasSuffix(path, "/") {
			return nil, errors.New("must be file: and the absolute path of a file")
		}
		return File{path}, nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, errors.New("must be file:/path or an https:// address without a password")
	}
	return NewEndpoint(target, Authorization(token), nil), nil
}
