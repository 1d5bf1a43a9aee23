package main

import (
	"strings"
	"testing"

	"garoupa/models/modelstest"
	"garoupa/pix/psp/bank/control"
)

// The account of a served bank is added and active after one command, with a tick for each thing that
// was tried. A bank that does not answer, or refuses, is not added.
func TestBank_Add(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	p := newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t), "GAROUPA_DEMO=true")
	if got := p.try("bank", "add", b.dir); got.status != 1 || !strings.Contains(got.wrong, "no bank serves") {
		t.Errorf("without a bank add says %+v", got)
	}
	b.start()
	bank := control.Dial(b.folder.Socket())
	if err := bank.SetFault(t.Context(), control.Fault{Name: "token-down"}); err != nil {
		t.Fatal(err)
	}
	if got := p.try("bank", "add", b.dir); got.status != 1 || !strings.Contains(got.out, "✗ token") ||
		!strings.Contains(got.wrong, "does not accept") {
		t.Errorf("a bank without tokens: %+v", got)
	}
	if err := bank.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := p.run("bank", "add", b.dir)
	_, id, _ := strings.Cut(strings.TrimSpace(out), "Added and active: ")
	if strings.Count(out, "✓") != 6 || !strings.HasPrefix(id, "bnk_") {
		t.Errorf("add says %s", out)
	}
	if out := p.run("bank", "check", "--charge", id); strings.Count(out, "✓") != 7 {
		t.Errorf("check says %s", out)
	}
	if got := p.try("bank", "add", b.dir); got.status != 1 || !strings.Contains(got.wrong, "pixKey is taken") {
		t.Errorf("the same account again: %+v", got)
	}
	if got := p.try("bank", "check", "bnk_00000000000000000000"); got.status != 1 {
		t.Errorf("an unknown account: %+v", got)
	}
	real := newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t))
	if got := real.try("bank", "add", b.dir); got.status != 1 || !strings.Contains(got.wrong, "overrides is private") {
		t.Errorf("an installation that is no demo: %+v", got)
	}
}
