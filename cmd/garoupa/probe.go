package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// probeReady asks the server on this machine whether it is ready.
func probeReady(ctx context.Context, s settings) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		reasons, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10)) // what arrived is enough
		return fmt.Errorf("probe: the server answers %s: %s", answer.Status,
			strings.ReplaceAll(strings.TrimSpace(string(reasons)), "\n", "; "))
	}
	return nil
}
