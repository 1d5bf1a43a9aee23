//go:build clients

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clientTools is where the tools of others that read the description are installed.
const clientTools = "../../tools/openapi"

// Redocly and Spectral find nothing wrong in the description that the program serves. The clients
// that oapi-codegen, openapi-typescript and hey-api make of it compile, and each creates a checkout,
// reads it, lists it, and gets an error with all of its members.
func TestClients(t *testing.T) {
	p := newProgram(t)
	p.serve()
	key := p.demo().Keys.Test
	generated := filepath.Join(clientTools, ".generated")
	if err := os.MkdirAll(generated, 0o755); err != nil {
		t.Fatal(err)
	}
	description, err := os.Create(filepath.Join(generated, "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer description.Close()
	served, err := p.client.Get(p.url + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer served.Body.Close()
	if _, err := io.Copy(description, served.Body); err != nil {
		t.Fatal(err)
	}
	node := func(t *testing.T, tool string, args ...string) string {
		t.Helper()
		return tooled(t, clientTools, "node_modules/.bin/"+tool, args...)
	}
	const source = "./.generated/openapi.json"
	t.Run("redocly", func(t *testing.T) {
		if told := node(t, "redocly", "lint", source); strings.Contains(told, "warning") {
			t.Error(told)
		}
	})
	t.Run("spectral", func(t *testing.T) { node(t, "spectral", "lint", "--fail-severity=warn", source) })
	t.Run("oapi-codegen", func(t *testing.T) {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(filepath.Join(clientTools, "go"))); err != nil {
			t.Fatal(err)
		}
		absolute, err := filepath.Abs(description.Name())
		if err == nil {
			err = os.Mkdir(filepath.Join(folder, "client"), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		tooled(t, folder, "go", "tool", "oapi-codegen", "-config", "config.yaml", absolute)
		compareClient(t, tooled(t, folder, "go", "run", ".", p.url, key))
	})
	t.Run("typescript", func(t *testing.T) {
		node(t, "openapi-typescript", source, "--output", ".generated/fetch.ts")
		node(t, "openapi-ts", "--input", source, "--output", ".generated/heyapi", "--client",
			"@hey-api/client-fetch", "--silent")
		node(t, "tsc", "--project", ".")
		for _, client := range []string{"client-fetch", "client-heyapi"} {
			out := ".generated/" + client + ".mjs"
			tooled(t, clientTools, "../../node_modules/.bin/esbuild", client+".ts", "--bundle", "--platform=node",
				"--format=esm", "--log-level=error", "--outfile="+out)
			compareClient(t, tooled(t, clientTools, "node", out, p.url, key))
		}
	})
}

// tooled runs a command in a folder and returns what it prints.
func tooled(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = folder
	var wrong strings.Builder
	command.Stderr = &wrong
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, wrong.String())
	}
	return string(out)
}

// compareClient compares what a client printed with what the program must have answered.
func compareClient(t *testing.T, printed string) {
	t.Helper()
	var got struct {
		ID, Type, Code, Message string
		RequestID               string `json:"requestId"`
		Amount                  int64
		PaidAt                  *string
		Listed                  int
	}
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if !strings.HasPrefix(got.ID, "chk_") || got.Amount != 4990 || got.PaidAt != nil || got.Listed != 1 {
		t.Errorf("the checkout is %s", printed)
	}
	if got.Type != "validation_error" || got.Code != "invalid_request_body" ||
		!strings.HasPrefix(got.Message, "amount must be") || !strings.HasPrefix(got.RequestID, "req_") {
		t.Errorf("the error is %s", printed)
	}
}
