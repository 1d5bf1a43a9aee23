package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"garoupa/internal/server/servertest"
)

// Monitors read at an address of their own what the process did. Nothing in it names a merchant or a charge.
func TestServe_Metrics(t *testing.T) {
	t.Parallel()
	monitors := servertest.Address(t)
	p := newProgram(t, "GAROUPA_METRICS_LISTEN="+monitors)
	made := p.demo()
	s := p.serve()
	if status, _ := p.create(made.Keys.Test, "one"); status != http.StatusCreated {
		t.Fatal(status)
	}
	read := func(address string) (int, string) {
		answer, err := http.Get(address + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	status, text := read("http://" + monitors)
	for _, line := range []string{
		`garoupa_http_requests_total{method="POST",route="/v1/checkouts",status="201"} 1`,
		`garoupa_batch_values_total{batch="checkouts"} 1`, "garoupa_database_up 1", "garoupa_listening 1",
	} {
		if status != http.StatusOK || !strings.Contains(text, line+"\n") {
			t.Errorf("%d, without %s", status, line)
		}
	}
	for _, id := range []string{"chk_", "acct_", "proj_", "@"} {
		if strings.Contains(text, id) {
			t.Errorf("the metrics contain %s", id)
		}
	}
	if status, text := read(p.url); status != http.StatusNotFound || strings.Contains(text, "garoupa_") {
		t.Errorf("at the address of the pages: %d", status)
	}
	p.stop(s, os.Interrupt)
}

func TestReadSettings_Metrics(t *testing.T) {
	t.Parallel()
	for value, good := range map[string]bool{"": true, "127.0.0.1:9464": true, ":9464": true, "9464": false,
		"127.0.0.1:8080": false} {
		_, err := readSettings(map[string]string{"GAROUPA_METRICS_LISTEN": value})
		if good != (err == nil) || err != nil && !strings.Contains(err.Error(), "settings: GAROUPA_METRICS_LISTEN: ") {
			t.Errorf("%q: %v", value, err)
		}
	}
}
