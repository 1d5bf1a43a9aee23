// Package oidctest runs a real OpenID Connect provider for tests: oidc-provider of npm, in a process
// of Node.
package oidctest

import (
	"bufio"
	_ "embed"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/oidc"
)

//go:embed provider.mjs
var script string

// StrongACR is the acr of log-ins with a second factor.
const StrongACR = "urn:example:strong"

// Provider is a provider that ends with its test.
type Provider struct {
	Issuer, Redirect string
}

// Person is an account at the provider.
type Person struct {
	Subject, Email string
	Verified       bool
	Methods        string // amr, separated by blanks; "" for a password
}

// Start runs a provider with one client whose answers arrive at an address.
func Start(t *testing.T, redirect string) *Provider {
	t.Helper()
	node := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", script, "--", redirect)
	var complaint strings.Builder
	node.Stderr = &complaint
	in, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "http://127.0.0.1:") {
		in.Close()
		node.Wait()
		t.Fatalf("node with oidc-provider is needed (npm ci): %s\n%s", lines.Text(), complaint.String())
	}
	t.Cleanup(func() {
		in.Close() // the script ends
		node.Wait()
	})
	return &Provider{Issuer: lines.Text(), Redirect: redirect}
}

// Client returns the installation's side of the provider, at the machine's time.
func (p *Provider) Client() *oidc.Provider {
	return oidc.New(oidc.Options{Issuer: p.Issuer, ClientID: "garoupa", ClientSecret: "a secret of the client",
		Name: "Empresa", StrongACR: StrongACR, Redirect: p.Redirect, Now: time.Now})
}

// Set adds or changes a person.
func (p *Provider) Set(t *testing.T, who Person) {
	t.Helper()
	verified := "false"
	if who.Verified {
		verified = "true"
	}
	p.control(t, url.Values{"sub": {who.Subject}, "email": {who.Email}, "verified": {verified}, "amr": {who.Methods}})
}

// Break makes the provider answer everything with 503, or again as it should.
func (p *Provider) Break(t *testing.T, down bool) {
	t.Helper()
	value := "false"
	if down {
		value = "true"
	}
	p.control(t, url.Values{"down": {value}})
}

func (p *Provider) control(t *testing.T, fields url.Values) {
	t.Helper()
	answer, err := http.PostForm(p.Issuer+"/control", fields)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}
