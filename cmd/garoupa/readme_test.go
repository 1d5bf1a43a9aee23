package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"garoupa/internal/server/servertest"
	"garoupa/models/modelstest"
)

// The commands of the README lead from a clone to a live charge that is paid. If they set up notices from the
// bank, they also do without: the program then reads the bank's list.
func TestReadme_Live(t *testing.T) {
	t.Parallel()
	block := liveCommands(t)
	roads := map[string]string{"as it stands": block}
	if without := noticeSettings.ReplaceAllString(block, ""); without != block {
		roads["without notices"] = without
	}
	for name, commands := range roads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			followReadme(t, commands)
		})
	}
}

var liveKey = regexp.MustCompile(`svc_live_\w+`)

// noticeSettings are the settings of the address at which a bank posts notices.
var noticeSettings = regexp.MustCompile(` GAROUPA_BANK_[A-Z_]+=\S+`)

// liveCommands returns the README's commands for a live charge, one a line.
func liveCommands(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n## Live charges, on your machine\n")
	_, block, ok := strings.Cut(after, "```sh\n")
	block, _, ended := strings.Cut(block, "```\n")
	if !found || !ok || !ended {
		t.Fatal("the README has no commands for live charges")
	}
	return strings.ReplaceAll(block, "\\\n", "")
}

// followReadme runs commands in a folder that is as after "make build", with ports of its own.
func followReadme(t *testing.T, block string) {
	t.Helper()
	r := newReader(t)
	var key, id, code string
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "git clone "), line == "make build": // that state is given
			continue
		}
		out := r.types(strings.NewReplacer("svc_live_…", key, "<pix.copyPaste>", code).Replace(line))
		switch {
		case strings.HasPrefix(line, "bin/garoupa bank serve "):
			r.until("the bank serves", func() bool { return r.try("bank", "state", r.data+"/banco").status == 0 })
		case strings.HasPrefix(line, "bin/garoupa serve "):
			r.until("the program serves", func() bool { return r.try("serve", "-probe").status == 0 })
		case strings.HasPrefix(line, "bin/garoupa bank add "):
			if strings.Count(out, "✓") < 6 || !strings.Contains(out, "Added and active: bnk_") {
				t.Fatalf("%s says %s", line, out)
			}
		case strings.HasPrefix(line, "bin/garoupa demo "):
			if key = liveKey.FindString(out); key == "" {
				t.Fatalf("%s says %s", line, out)
			}
		case strings.HasPrefix(line, "curl "):
			var c liveCheckout
			if err := json.Unmarshal([]byte(out), &c); err != nil || c.Pix.CopyPaste == "" {
				t.Fatalf("%s says %s", line, out)
			}
			id, code = c.ID, c.Pix.CopyPaste
		case strings.HasPrefix(line, "bin/garoupa bank pay "):
			if !strings.HasPrefix(out, "Paid: E") {
				t.Fatalf("%s says %s", line, out)
			}
		}
	}
	if id == "" {
		t.Fatalf("the commands charge nothing:\n%s", block)
	}
	r.becomes(key, id, "PAID")
	if out := r.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("check says %s", out)
	}
}

// reader is a person with a shell in a clone, and the program as seen from that shell.
type reader struct {
	*program
	shell io.Writer
	says  *bufio.Reader
	ports *strings.Replacer
	lines int
}

func newReader(t *testing.T) *reader {
	t.Helper()
	clone, err := os.MkdirTemp("", "clone") // the path of a socket has room for about 100 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(clone) })
	address, bank, notices := servertest.Address(t), port(servertest.Address(t)), port(servertest.Address(t))
	r := &reader{
		program: newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t), "GAROUPA_DEMO=true",
			"GAROUPA_LISTEN="+address),
		ports: strings.NewReplacer(":8080", ":"+port(address), ":8443", ":"+bank, ":8444", ":"+notices,
			"bank init banco", "bank init banco --address localhost:"+bank),
	}
	r.url, r.data = "http://"+address, clone
	test, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"garoupa": asProgram}
	path := os.Getenv("PATH")
	if _, err := exec.LookPath("curl"); err != nil {
		programs["curl"] = asCurl
		path = filepath.Join(clone, "bin") + ":" + path
	}
	if err := os.Mkdir(filepath.Join(clone, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, as := range programs {
		script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", as, test)
		if err := os.WriteFile(filepath.Join(clone, "bin", name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	shell := exec.Command("bash", "-u")
	shell.Dir, shell.Env = clone, append([]string{noRest}, append(r.env, "PATH="+path)...)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with what it starts
	out, writes, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.Stdout, shell.Stderr = writes, os.Stderr
	if r.shell, err = shell.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	writes.Close()
	t.Cleanup(func() {
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
		_ = shell.Wait()
		out.Close()
	})
	r.says = bufio.NewReader(out)
	return r
}

// port returns the port of host:port.
func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// types runs a line in the shell and returns what it prints.
func (r *reader) types(line string) (out string) {
	r.t.Helper()
	r.lines++
	end := fmt.Sprintf("end of line %d", r.lines)
	if _, err := fmt.Fprintf(r.shell, "%s\necho; echo '%s'\n", r.ports.Replace(line), end); err != nil {
		r.t.Fatal(err)
	}
	for {
		said, err := r.says.ReadString('\n')
		switch {
		case err != nil:
			r.t.Fatalf("%s: %v, after %s", line, err, out)
		case strings.TrimSpace(said) == end:
			return strings.TrimSpace(out)
		}
		out += said
	}
}
