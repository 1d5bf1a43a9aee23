package dashboard_test

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// typed is what a member typed before attaching a file.
const typed = "Foi entregue em 3 de maio.\nCom rastreio."

// attach sends a file with the form of an answer, in which typed stands.
func attach(t *testing.T, c *webtest.Client, id, name string, content []byte) webtest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("text", typed); err != nil {
		t.Fatal(err)
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.Send(http.MethodPost, "/app/disputas/"+id+"/arquivos", form.FormDataContentType(), &body)
}

// twice does something two times at once.
func twice(do func()) {
	var both sync.WaitGroup
	both.Go(do)
	both.Go(do)
	both.Wait()
}

// All members see a dispute; those who handle money answer it, once.
func TestDispute(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	d := s.Contested(t, "MED-1")
	path := "/app/disputas/" + d.ID
	if a := c.Get(path); !strings.Contains(a.Text(), "O comprador contestou este Pix. Responda até") ||
		!strings.Contains(a.Text(), "O valor está bloqueado.") {
		t.Errorf("the page is %d %s", a.Status, a.Text())
	}
	for role, want := range map[models.Role]int{models.RoleFinance: 200, models.RoleAdmin: 200,
		models.RoleDeveloper: 403, models.RoleViewer: 403} {
		s.GiveRole(t, role)
		a := c.Get(path)
		if button := a.Find(`a[href$="/responder"]`).Length(); a.Status != 200 || (button == 1) != (want == 200) {
			t.Errorf("%s gets %d %s", role, a.Status, a.Text())
		}
		if a := c.Get(path + "/responder"); a.Status != want {
			t.Errorf("%s gets %d for the form", role, a.Status)
		}
		if a := c.Post(path+"/responder", "text", ""); (a.Status == 403) != (want == 403) {
			t.Errorf("%s gets %d for an answer", role, a.Status)
		}
		if a := attach(t, c, d.ID, "a.pdf", nil); (a.Status == 403) != (want == 403) {
			t.Errorf("%s gets %d for a file", role, a.Status)
		}
	}
	s.GiveRole(t, models.RoleOwner)
	if a := c.Post(path+"/responder", "text", strings.Repeat("é", 4001)); a.Status != 422 ||
		!strings.Contains(a.Find("#errors").Text(), "4.000 caracteres") {
		t.Errorf("a long answer is %d", a.Status)
	}
	for range 2 {
		if a := c.Post(path+"/responder", "text", "Foi entregue.\r\nCom rastreio."); a.Status != http.StatusSeeOther {
			t.Errorf("the answer is %d %s", a.Status, a.Text())
		}
	}
	if a := c.Get(path); !strings.Contains(a.Text(), "Foi entregue.\nCom rastreio.") {
		t.Errorf("the page is %s", a.Text())
	}
	for _, address := range []string{path + "/responder", path} {
		if a := c.Post(address, "agree", "1"); a.Status != http.StatusSeeOther && a.Status != 405 {
			t.Errorf("%s is %d", address, a.Status)
		}
	}
	if status := modelstest.One[string](t, s.DB, "SELECT status FROM disputes"); status != "DEFENDED" {
		t.Errorf("the dispute is %s", status)
	}
}

// A member of another account of the same installation neither sees nor answers a dispute, nor its files.
func TestDispute_OfOthers(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.Member(t)
	d := s.Contested(t, "MED-1")
	if _, err := s.AddDisputeFile(t.Context(), s.Owner, s.Account.ID, d.ID,
		payments.NewDisputeFile{Name: "a.pdf", Content: []byte("%PDF-1.7")}); err != nil {
		t.Fatal(err)
	}
	file := modelstest.One[string](t, s.DB, "SELECT id FROM dispute_files")
	if _, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia", Business: "Outra",
		Email: "bia@outra.example", Password: paymentstest.Password, Verified: true}, ""); err != nil {
		t.Fatal(err)
	}
	other := s.Client(t)
	other.Post("/entrar", "email", "bia@outra.example", "password", paymentstest.Password)
	for _, address := range []string{"", "/responder", "/arquivos/" + file} {
		if a := other.Get("/app/disputas/" + d.ID + address); a.Status != http.StatusNotFound {
			t.Errorf("%q is %d", address, a.Status)
		}
	}
	if a := other.Post("/app/disputas/"+d.ID+"/responder", "text", "Sim"); a.Status != http.StatusNotFound {
		t.Errorf("the answer is %d", a.Status)
	}
	if a := attach(t, other, d.ID, "a.pdf", []byte("%PDF-1.7 b")); a.Status != http.StatusNotFound {
		t.Errorf("the file is %d", a.Status)
	}
}

// Files are saved by the browser and not opened, and what is no picture and no PDF is refused.
func TestDispute_Files(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	d := s.Contested(t, "MED-1")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"a.png": []byte("<!DOCTYPE html><script>1</script>"), "b.pdf": nil,
		"c.pdf": append([]byte("%PDF-1.7\n"), make([]byte, 3<<20)...)} {
		if a := attach(t, c, d.ID, name, content); a.Status != 422 ||
			!strings.Contains(a.Find("#file-error").Text(), "PDF, JPEG ou PNG de até 2 MB") ||
			a.Find("textarea[name=text]").Text() != typed {
			t.Errorf("%s is %d", name, a.Status)
		}
	}
	twice(func() {
		if a := attach(t, c, d.ID, `..\..\nota "1".html`, picture.Bytes()); a.Status != http.StatusOK ||
			a.Find("textarea[name=text]").Text() != typed || !strings.Contains(a.Text(), "Arquivo anexado.") {
			t.Errorf("the picture is %d %s", a.Status, a.Text())
		}
	})
	if a := attach(t, c, d.ID, "cheia.pdf", append([]byte("%PDF-1.7\n"), make([]byte, 2<<20-9)...)); a.Status != 200 {
		t.Errorf("2 MiB are %d", a.Status)
	}
	page := c.Get("/app/disputas/" + d.ID)
	links := page.Find(`a[href*="/arquivos/"]`)
	if links.Length() != 2 {
		t.Fatalf("the page has %d files: %s", links.Length(), page.Text())
	}
	a := c.Get(links.First().AttrOr("href", ""))
	if a.Header.Get("Content-Type") != "image/png" || a.Header.Get("X-Content-Type-Options") != "nosniff" ||
		a.Header.Get("Content-Disposition") != `attachment; filename="nota -1-.png"` || a.Body != picture.String() {
		t.Errorf("the file is %d %v", a.Status, a.Header)
	}
	if a := c.Get("/app/disputas/" + d.ID + "/arquivos/dfl_00000000000000000000"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown file is %d", a.Status)
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.Get(links.First().AttrOr("href", "")); a.Status != http.StatusOK {
		t.Errorf("a viewer gets %d", a.Status)
	}
}

// An answer is not sent without the file that is chosen in its form, and comes back as it was typed.
func TestDispute_FileLeft(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	path := "/app/disputas/" + s.Contested(t, "MED-1").ID + "/responder"
	if a := c.Post(path, "text", typed, "file", "nota.pdf"); a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#file-error").Text(), "ainda não foi anexado") ||
		a.Find("textarea[name=text]").Text() != typed {
		t.Errorf("the answer is %d %s", a.Status, a.Text())
	}
	if status := modelstest.One[string](t, s.DB, "SELECT status FROM disputes"); status != "OPEN" {
		t.Errorf("the dispute is %s", status)
	}
	if a := c.Post(path, "text", typed, "file", ""); a.Status != http.StatusSeeOther {
		t.Errorf("the answer without a file is %d %s", a.Status, a.Text())
	}
}

// A disputed charge cannot be refunded: its page has no such button, and the form says why.
func TestDispute_NoRefund(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	d := s.Contested(t, "MED-1")
	s.ToLive(t, c)
	path := "/app/cobrancas/" + *d.CheckoutID
	if a := c.Get(path); a.Find(`a[href$="/devolver"]`).Length() != 0 ||
		a.Find(`a[href="/app/disputas/`+d.ID+`"]`).Length() != 1 {
		t.Errorf("the charge is %d %s", a.Status, a.Text())
	}
	if a := c.Post(path+"/devolver", "key", "1", "amount", "1,00"); a.Status != 422 ||
		!strings.Contains(a.Find("#errors").Text(), "contestou este Pix") {
		t.Errorf("the refund is %d %s", a.Status, a.Text())
	}
	if a := c.Get("/app/saldo"); !strings.Contains(a.Find("#blocked").Text(), "Um comprador contestou um Pix") ||
		a.Find(`a[href="/app/disputas/`+d.ID+`"]`).Length() < 2 { // also a line of the statement
		t.Errorf("the balance is %s", a.Text())
	}
	if a := c.Get("/app/disputas"); a.Find(`a[href="/app/disputas/`+d.ID+`"]`).Length() != 1 {
		t.Errorf("the list is %s", a.Text())
	}
}
