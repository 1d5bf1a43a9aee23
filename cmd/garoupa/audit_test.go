package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// A serving program writes the audit log to a file, which verifies, and in which a forged line is found.
func TestAuditStream(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	p := newProgram(t, "GAROUPA_AUDIT_STREAM=file:"+path)
	p.demo()
	waiting := regexp.MustCompile(`(?m)^stream     ok; \d+ lines wait, the oldest since 20`)
	if out := p.run("check"); !waiting.MatchString(out) {
		t.Errorf("before: %s", out)
	}
	server := p.serve()
	p.until("all lines are streamed", func() bool {
		return strings.Contains(p.run("check"), "\nstream     ok\n")
	})
	p.stop(server, syscall.SIGTERM)
	out := p.run("audit", "verify", path)
	if !regexp.MustCompile(`^ok: \d+ lines, seals 1 to \d+, sha256 of the last [0-9a-f]{64}\n$`).MatchString(out) {
		t.Errorf("verify prints %s", out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(text), `"actorRole":"OWNER"`, `"actorRole":"ADMIN"`, 1)
	if forged == string(text) {
		t.Fatalf("there is no line to forge in %s", text)
	}
	if err := os.WriteFile(path, []byte(forged+"half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.try("audit", "verify", path); r.status != 1 || !strings.Contains(r.wrong, "see above") ||
		!strings.HasPrefix(r.out, "not whole, and without effect: 1 lines\nchanged since it was sealed: line ") {
		t.Errorf("a forged line: %+v", r)
	}
	for status, args := range map[int][]string{2: {"verify"}, 1: {"verify", path + ".none"}} {
		if r := p.try(append([]string{"audit"}, args...)...); r.status != status {
			t.Errorf("audit %q: %+v", args, r)
		}
	}
	if r := p.try("audit", "--help"); r.status != 0 || !strings.Contains(r.wrong, "usage: garoupa audit verify") {
		t.Errorf("help: %+v", r)
	}
}
