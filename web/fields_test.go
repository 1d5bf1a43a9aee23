package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// A form's fields come from the body of the request alone: what an address adds neither fills an
// absent field nor comes before a field that is there.
func TestFields_FromBody(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	query := "?email=" + s.Email + "&password=" + paymentstest.Password
	if a := s.Client(t).Post("/entrar"+query, "next", "/app"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a log-in by its address: %d", a.Status)
	}
	c := s.Member(t)
	a := c.Post("/app/equipe/convites?role=ADMIN", "email", "bia@example.com", "role", "VIEWER")
	if a.Status != http.StatusSeeOther {
		t.Fatalf("the invitation: %d %s", a.Status, a.Find("main").Text())
	}
	invites, err := models.OpenInvites(t.Context(), s.DB.Pool, s.Account.ID)
	if err != nil || len(invites) != 1 || invites[0].Role != models.RoleViewer {
		t.Errorf("invited %+v, %v; want one viewer", invites, err)
	}
}

// No handler reads fields with Fiber's FormValue, which looks into the query first: page.Field
// reads the body.
func TestFields_OneReader(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(source), ".FormValue(") {
			t.Errorf("%s reads fields with FormValue, want page.Field", file)
		}
	}
}
