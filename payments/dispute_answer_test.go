package payments_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

const proof = "O produto foi entregue em 3 de maio, com rastreio AB123456789BR."

// atBank returns the answer that the bank has to a dispute, from its file: a text, and whether the account
// agrees.
func atBank(t *testing.T, h *bankstest.House, ref string) (text string, agrees bool) {
	t.Helper()
	file, err := os.ReadFile(h.Bank.Folder.State())
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for line := range bytes.Lines(file) {
		var entry struct {
			Disputes []struct {
				ID, Defense, Status string
				Agrees              bool
			}
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatal(err)
		}
		for _, d := range entry.Disputes {
			if d.ID == ref && d.Defense != "" && d.Status == "OPEN" {
				text, agrees, answers = d.Defense, d.Agrees, answers+1
			}
		}
	}
	if answers > 1 {
		t.Errorf("the bank took %d answers", answers)
	}
	return text, agrees
}

// An answer goes to the bank at once, and once, whichever process sends it.
func TestDispute_Defended(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	d := contest(t, h, sold(t, h), 0)
	for range 2 { // the form is sent twice
		d = answer(t, h, d.ID, payments.DisputeAnswer{Text: "  " + proof + "\n"})
	}
	if d.Status != models.DisputeDefended || *d.Defense != proof || *d.DefenseBy != h.Owner.UserID {
		t.Errorf("the dispute is %+v", d)
	}
	if _, err := h.AnswerDispute(t.Context(), h.Owner, h.Account.ID, d.ID,
		payments.DisputeAnswer{Agrees: true}); code(err) != refusal.WrongState {
		t.Errorf("answered again: %v", err)
	}
	other := h.Another(t)
	h.Tend(t)
	other.Tend(t)
	if text, agrees := atBank(t, h, d.BankRef); text != proof || agrees {
		t.Errorf("the bank has the answer %q, %t", text, agrees)
	}
	if d = disputeNow(t, h, d.ID); d.DefenseSentAt == nil || d.Status != models.DisputeDefended {
		t.Errorf("the dispute is %+v", d)
	}
	const sent = "SELECT count(*) FROM audit_log WHERE action = 'dispute.answer_sent'"
	if n := modelstest.One[int](t, h.DB, sent); n != 1 {
		t.Errorf("sent %d times", n)
	}
	blocked(t, h, 100_00)
	decide(t, h, d, "REJECTED", 0)
	blocked(t, h, 0)
}

// Crash point l: the answer is stored, or it is sent and the process ends. The bank is read before it is
// sent.
func TestDispute_AnswerLost(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	d := contest(t, h, sold(t, h), 0)
	answer(t, h, d.ID, payments.DisputeAnswer{Text: proof})
	h.Fault(t, control.Fault{Name: "drop-answer", On: "defesa", Times: 1})
	if err := h.TendBank(t.Context(), h.AccountID); err == nil {
		t.Error("the lost answer is no error")
	}
	if text, _ := atBank(t, h, d.BankRef); text != proof {
		t.Fatalf("the bank has the answer %q", text)
	}
	if d = disputeNow(t, h, d.ID); d.DefenseSentAt != nil || d.SendingAt == nil {
		t.Errorf("the dispute is %+v", d)
	}
	readDisputes(t, h) // would fail if the answer were sent twice
	if d = disputeNow(t, h, d.ID); d.DefenseSentAt == nil {
		t.Errorf("the dispute is %+v", d)
	}

	d = contest(t, h, sold(t, h), 0)
	answer(t, h, d.ID, payments.DisputeAnswer{Text: proof})
	h.Fault(t, control.Fault{Name: "500-undone", On: "defesa", Times: 1})
	if err := h.TendBank(t.Context(), h.AccountID); err == nil {
		t.Error("the refused answer is no error")
	}
	h.Tend(t)
	if text, _ := atBank(t, h, d.BankRef); text != "" {
		t.Errorf("the answer was sent again at once: %q", text)
	}
	readDisputes(t, h)
	if text, _ := atBank(t, h, d.BankRef); text != proof {
		t.Errorf("the bank has the answer %q", text)
	}
}

// An account that agrees leaves the money blocked until the bank takes it.
func TestDispute_Agreed(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	settle(t, h)
	d := contest(t, h, c, 0)
	for range 2 {
		d = answer(t, h, d.ID, payments.DisputeAnswer{Agrees: true, Text: "is not used"})
	}
	h.Tend(t)
	if _, agrees := atBank(t, h, d.BankRef); !agrees {
		t.Error("the bank does not know that the account agrees")
	}
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeAccepted || d.Defense != nil || d.DefenseSentAt == nil {
		t.Errorf("the dispute is %+v", d)
	}
	held(t, h, 0, -99, 0)
	decide(t, h, d, "RETURNED", 0)
	held(t, h, 0, -99, 100_00)
	if d = disputeNow(t, h, d.ID); d.Status != models.DisputeLost {
		t.Errorf("the dispute is %+v", d)
	}
}

// Who may not answer, what is no answer, and when it is too late.
func TestDispute_AnswerRefused(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	d := contest(t, h, sold(t, h), 0)
	stranger := paymentstest.New(t)
	for name, step := range map[string]struct {
		by      models.Actor
		account string
		id      string
		text    string
		want    refusal.Code
	}{
		"of another account": {h.Owner, stranger.Account.ID, d.ID, proof, refusal.NotFound},
		"a stranger":         {h.Staff(t), h.Account.ID, d.ID, proof, refusal.Forbidden},
		"an unknown id":      {h.Owner, h.Account.ID, "dsp_00000000000000000000", proof, refusal.NotFound},
		"another id":         {h.Owner, h.Account.ID, d.PaymentID, proof, refusal.NotFound},
		"no text":            {h.Owner, h.Account.ID, d.ID, " \n", refusal.DefenseRequired},
		"too long":           {h.Owner, h.Account.ID, d.ID, strings.Repeat("é", 4001), refusal.DefenseRequired},
		"control characters": {h.Owner, h.Account.ID, d.ID, "a\x00b", refusal.DefenseRequired},
	} {
		if _, err := h.AnswerDispute(t.Context(), step.by, step.account, step.id,
			payments.DisputeAnswer{Text: step.text}); code(err) != step.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for role, want := range map[models.Role]refusal.Code{models.RoleDeveloper: refusal.Forbidden,
		models.RoleViewer: refusal.Forbidden} {
		h.GiveRole(t, role)
		if _, err := h.AnswerDispute(t.Context(), h.Owner, h.Account.ID, d.ID,
			payments.DisputeAnswer{Text: proof}); code(err) != want {
			t.Errorf("%s: %v", role, err)
		}
	}
	h.GiveRole(t, models.RoleFinance)
	h.Later(6 * 24 * time.Hour)
	if _, err := h.AnswerDispute(t.Context(), h.Owner, h.Account.ID, d.ID,
		payments.DisputeAnswer{Text: proof}); code(err) != refusal.WrongState {
		t.Errorf("too late: %v", err)
	}
}

// picture returns a PNG of a few bytes.
func picture(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 1))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Files of an answer are what they say, small and few, and have names without a path.
func TestDispute_Files(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	d := contest(t, h, sold(t, h), 0)
	add := func(name string, content []byte) error {
		_, err := h.AddDisputeFile(t.Context(), h.Owner, h.Account.ID, d.ID,
			payments.NewDisputeFile{Name: name, Content: content})
		return err
	}
	large := append([]byte("%PDF-1.7\n"), make([]byte, 3<<20)...)
	for name, content := range map[string][]byte{
		"nota.png": []byte("<!DOCTYPE html><script>alert(1)</script>"), "vazio.pdf": nil, "grande.pdf": large,
		"meia.png": picture(t, 1)[:12], "texto.pdf": []byte("nota"), "gif.png": []byte("GIF89a\x01\x00\x01\x00"),
	} {
		if err := add(name, content); code(err) != refusal.InvalidFile {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		`..\..\etc/passwd.html`: "passwd.png", "nota\r\nSet-Cookie: a.png": "nota Set-Cookie- a.png", "": "arquivo.png",
		strings.Repeat("é", 300): strings.Repeat("é", 90) + ".png", "\u202egnp.exe": "gnp.png",
	} {
		content := picture(t, 1+len(name))
		for range 2 { // the form is sent twice
			if err := add(name, content); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM dispute_files WHERE name = $1", want); n != 1 {
			t.Errorf("%q: %d files %q", name, n, want)
		}
	}
	if err := add("seis.png", picture(t, 1000)); code(err) != refusal.InvalidFile {
		t.Errorf("six files: %v", err)
	}
	answer(t, h, d.ID, payments.DisputeAnswer{Text: proof})
	if err := add("tarde.png", picture(t, 1001)); code(err) != refusal.WrongState {
		t.Errorf("a file after the answer: %v", err)
	}
	d = disputeNow(t, h, d.ID)
	decide(t, h, d, "REJECTED", 0)
	closed := *disputeNow(t, h, d.ID).ClosedAt
	for _, step := range []struct {
		before time.Time
		left   int
	}{{closed, 5}, {closed.Add(time.Second), 0}} {
		if _, err := models.DeleteDisputeFiles(t.Context(), h.DB.Pool, step.before); err != nil {
			t.Fatal(err)
		}
		if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM dispute_files"); n != step.left {
			t.Errorf("%d files are left, not %d", n, step.left)
		}
	}
}

// Members who handle money, and reviewers, hear of a dispute at once and of its deadline 48, 24 and 6 hours
// before, while there is no answer.
func TestDispute_Mails(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	h.Staff(t)
	d := contest(t, h, sold(t, h), 0)
	mails := func(kind string) int {
		return modelstest.One[int](t, h.DB, "SELECT count(*) FROM mails WHERE kind = $1 AND fact LIKE '%'||$2||'%'",
			kind, d.ID)
	}
	staff := modelstest.One[int](t, h.DB, "SELECT count(*) FROM users WHERE staff_role IN ('REVIEWER', 'SUPERVISOR')")
	if mails("dispute_opened") != 1 || mails("dispute_opened_staff") != staff {
		t.Errorf("%d and %d mails of the opening", mails("dispute_opened"), mails("dispute_opened_staff"))
	}
	other := h.Another(t)
	at := d.AnswerBy.Add(-49 * time.Hour)
	h.Later(at.Sub(h.Service.Now()))
	warned := func(members, reviewers int) {
		t.Helper()
		for _, s := range []*bankstest.House{h, other, h} {
			if err := s.WarnOfDisputes(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if mails("dispute_due") != members || mails("dispute_due_staff") != reviewers*staff {
			t.Errorf("%d and %d mails, not %d and %d", mails("dispute_due"), mails("dispute_due_staff"), members,
				reviewers*staff)
		}
	}
	warned(0, 0)
	h.Later(2 * time.Hour)
	warned(1, 1)
	h.Later(24 * time.Hour)
	warned(2, 2)
	answer(t, h, d.ID, payments.DisputeAnswer{Text: proof})
	h.Later(20 * time.Hour)
	warned(2, 3) // the bank has no answer yet
	for want := range slices.Values([]refusal.Code{"", refusal.WrongState}) {
		if _, err := h.RecordAnswerSent(t.Context(), h.Staff(t), d.ID); code(err) != want {
			t.Errorf("recorded that the answer was sent: %v", err)
		}
	}
	h.Later(time.Hour)
	warned(2, 3)
}
