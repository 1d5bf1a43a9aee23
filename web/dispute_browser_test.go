package web_test

import (
	"strconv"
	"testing"

	"garoupa/models/modelstest"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

const (
	attachButton = "button[formaction$='/arquivos']"
	answerButton = "form[action$='/responder'] button.btn-primary"
)

// chooses puts a file with the content of a JavaScript expression into the form of an answer.
func chooses(page *browsertest.Page, name, content string) {
	browsertest.Eval[bool](page, `(() => {
		const kept = new DataTransfer(), field = document.getElementById("file");
		kept.items.add(new File([`+content+`], `+strconv.Quote(name)+`));
		field.files = kept.files;
		field.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`)
}

// A buyer contests a Pix. The merchant finds it in the menu before the deadline, with what is blocked, attaches
// a proof and answers; staff read the answer. Then it can no longer be changed.
func TestDispute_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	d := s.Contested(t, "MED-1")
	page := logInLive(t, s, browsertest.Options{})
	page.Goto(s.URL + "/app/disputas")
	page.Click("main a[href^='/app/disputas/dsp_']")
	page.WaitTrue(`document.body.innerText.includes("O comprador contestou este Pix. Responda até")`)
	page.Click("main a[href$='/responder']")
	page.AllowConsole("422")
	page.Click(answerButton)
	page.WaitFocused("#errors")
	chooses(page, "nota.pdf", `"%PDF-1.7\n"`)
	page.Click(attachButton)
	page.WaitVisible("nota.pdf")
	page.Type("#text", "Entregue em 3 de maio, com assinatura.")
	page.Axe()
	page.Click(answerButton)
	page.WaitVisible("Sua resposta foi registrada")
	page.WaitGone("main a[href$='/responder']")
	page.NoSidewaysScroll()

	staff := atConsole(t, s, "lia@staff.example")
	staff.Goto(s.URL + "/ops/disputas/" + d.ID)
	staff.WaitVisible("Entregue em 3 de maio, com assinatura.")
	staff.WaitVisible("nota.pdf")
	staff.Axe()
}

// What a member typed as an answer stays when a file is attached, when one is refused, and when the answer is sent
// with a file that was chosen and not attached. Browsers without scripts do the same.
func TestDispute_AnswerKept(t *testing.T) {
	t.Parallel()
	for name, noScript := range map[string]bool{"scripts": false, "no scripts": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			s.GoLive(t)
			d := s.Contested(t, "MED-1")
			page := logInLive(t, s, browsertest.Options{NoScript: noScript})
			page.AllowConsole("422")
			page.Goto(s.URL + "/app/disputas/" + d.ID + "/responder")
			const answer = "Entregue em 3 de maio, com assinatura."
			kept := func(doing string) {
				t.Helper()
				if got := page.Value("#text"); got != answer {
					t.Errorf("%s: the answer is %q", doing, got)
				}
			}
			page.Type("#text", answer)
			for _, content := range []string{`"MZ"`, `"%PDF-1.7\n" + "a".repeat(3 << 20)`, ""} {
				chooses(page, "nota.pdf", content)
				page.Click(attachButton)
				page.WaitText("#file-error", "Erro: Escolha um PDF, JPEG ou PNG de até 2 MB. "+
					"Uma resposta tem no máximo 5 arquivos.")
				kept("a refused file")
			}
			chooses(page, "nota.pdf", `"%PDF-1.7\n"`)
			page.Click(attachButton)
			page.WaitVisible("nota.pdf")
			kept("a file")
			chooses(page, "rastreio.pdf", `"%PDF-1.7\nb"`)
			page.Click(answerButton)
			page.WaitTrue(`document.getElementById("file-error")?.innerText.includes("ainda não foi anexado")`)
			kept("an answer with a file that is not attached")
			page.Click(answerButton)
			page.WaitVisible("Sua resposta foi registrada")
			page.WaitVisible(answer)
			if files := modelstest.One[int](t, s.DB, "SELECT count(*) FROM dispute_files"); files != 1 {
				t.Errorf("%d files are attached", files)
			}
		})
	}
}
