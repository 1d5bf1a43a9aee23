package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The proxy of docs/operations.md speaks TLS 1.2 and later with ciphers of forward secrecy, leads browsers
// there, and tells the program whom it serves.
func TestProxyExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```nginx\n# The proxy")
	block, _, _ = strings.Cut(block, "```")
	for _, line := range []string{
		"return 301 https://$host$request_uri;", "listen 443 ssl;", "ssl_protocols TLSv1.2 TLSv1.3;",
		"proxy_set_header Host $host;", "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
		"proxy_buffering off;",
	} {
		if !regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(line) + `$`).MatchString(block) {
			t.Errorf("the proxy has no line %q", line)
		}
	}
	ciphers := regexp.MustCompile(`(?m)^ +ssl_ciphers (\S+);$`).FindStringSubmatch(block)
	if ciphers == nil {
		t.Fatal("the proxy takes any cipher")
	}
	good := regexp.MustCompile(`^ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)$`)
	for cipher := range strings.SplitSeq(ciphers[1], ":") {
		if !good.MatchString(cipher) {
			t.Errorf("the proxy takes %s", cipher)
		}
	}
}
