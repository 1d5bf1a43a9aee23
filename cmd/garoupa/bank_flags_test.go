package main

import (
	"bufio"
	"strings"
	"testing"
)

// An amount in reais is refused, because as centavos it would be another one.
func TestBank_Amounts(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	for _, verb := range []string{"pay", "return", "med", "med-close"} {
		for _, amount := range []string{"49.90", "0", "-1", "R$1"} {
			got := b.try("bank", verb, b.dir, "x", "--amount="+amount)
			if got.status != 2 || !strings.Contains(got.wrong, "not a number of centavos, such as 4990 for R$ 49.90") {
				t.Errorf("%s --amount=%s says %+v", verb, amount, got)
			}
		}
	}
}

// A dispute ends as the flags say, and not if they contradict each other.
func TestBank_CloseDispute(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	b.start()
	_, code := b.charge("PUT", "teste000000000000000000000001")
	paid := strings.TrimPrefix(strings.TrimSpace(b.run("bank", "pay", b.dir, code)), "Paid: ")
	for _, c := range []struct {
		flags []string
		want  string // "" is a refusal
	}{
		{[]string{"--returned", "--rejected"}, ""},
		{[]string{"--rejected", "--amount", "1"}, ""},
		{[]string{"--rejected"}, "REJECTED"},
		{[]string{"--returned", "--amount", "10"}, "RETURNED"},
		{nil, "RETURNED"},
	} {
		id := strings.Fields(b.run("bank", "med", b.dir, paid))[1]
		args := append([]string{"bank", "med-close", b.dir, id}, c.flags...)
		if got := b.try(args...); c.want == "" {
			if got.status != 1 || !strings.Contains(got.wrong, "--rejected returns nothing") {
				t.Errorf("%v says %+v", c.flags, got)
			}
			b.run("bank", "med-close", b.dir, id, "--rejected")
		} else if got.status != 0 || got.out != "Dispute "+id+": "+c.want+"\n" {
			t.Errorf("%v says %+v", c.flags, got)
		}
	}
	if out := b.run("bank", "state", b.dir); !strings.Contains(out, "returned R$ 1.00") {
		t.Errorf("the rest of the last dispute was not returned: %s", out)
	}
}

// serve says where charges are if they are not below the base of the others.
func TestBank_ChargeBase(t *testing.T) {
	t.Parallel()
	b := newServedBank(t)
	b.process = b.command("bank", "serve", b.dir, "--profile", "sicredi")
	out, err := b.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.kill)
	said, lines := "", bufio.NewScanner(out)
	for !strings.Contains(said, "nothing is lost") && lines.Scan() {
		said += lines.Text() + "\n"
	}
	for _, part := range []string{"/api/v2, and https://localhost:", "/api/v3 for /cob/{txid}\n",
		b.dir + "/notices.key"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not in\n%s", part, said)
		}
	}
	if strings.Contains(said, b.folder.Account.ClientSecret) {
		t.Errorf("the secret is in\n%s", said)
	}
}
