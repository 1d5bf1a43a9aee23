package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"garoupa/merchants"
)

// remoteTimeout bounds one call of the API.
const remoteTimeout = 30 * time.Second

// remote is a gateway as a merchant's server sees it: an address and a test key. It refuses
// live keys, so that no real charge is created by mistake.
type remote struct{ server, key string }

// remoteFlags declares the flags that name the gateway. Call check after they are parsed.
func (in invocation) remoteFlags() *remote {
	r := &remote{}
	in.flags.StringVar(&r.server, "server", "",
		"`address` of the gateway; else GAROUPA_BASE_URL, else http://localhost:8080")
	in.flags.StringVar(&r.key, "key", "", "test `key`, svc_test_…; else GAROUPA_API_KEY")
	return r
}

// check fills empty flags from the environment.
func (r *remote) check(s settings) error {
	if r.server == "" {
		r.server = s.BaseURL
	}
	if err := checkAddress(&r.server); err != nil {
		return fmt.Errorf("--server: %w", err)
	}
	if r.key == "" {
		r.key = s.APIKey
	}
	if r.key = strings.TrimSpace(r.key); !strings.HasPrefix(r.key, merchants.PrefixTest) {
		return errors.New("--key or GAROUPA_API_KEY must be a test key, " + merchants.PrefixTest + "…")
	}
	return nil
}

// post calls the API, with a new idempotency key, and decodes the answer into out.
func (r *remote) post(ctx context.Context, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, remoteTimeout)
	defer cancel()
	sent := []byte(nil)
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := r.request(ctx, http.MethodPost, path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", rand.Text())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%s cannot be reached: %w", r.server, err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return readError(response)
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("%s answered with something else than JSON: %w", r.server, err)
	}
	return nil
}

func (r *remote) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.server+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.key)
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// apiError is an error answer of the API.
type apiError struct {
	status                   int
	code, message, requestID string
	retryAfter               time.Duration // 0 if the answer did not have it
}

// Error implements error.
func (e *apiError) Error() string {
	if e.code == "" {
		return fmt.Sprintf("the answer is %d, and not from this API: is the address right?", e.status)
	}
	return fmt.Sprintf("%s (%d %s, %s)", e.message, e.status, e.code, e.requestID)
}

// readError reads the envelope of an error (contract, section 7).
func readError(response *http.Response) error {
	var envelope struct {
		Error struct {
			Code, Message string
			RequestID     string `json:"requestId"`
		}
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&envelope); err != nil {
		return &apiError{status: response.StatusCode, retryAfter: retryAfterOf(response)}
	}
	e := envelope.Error
	return &apiError{response.StatusCode, e.Code, e.Message, e.RequestID, retryAfterOf(response)}
}
