package page_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/internal/refusal"
	"garoupa/internal/refusal/refusaltest"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/web/page"
)

// Every refusal has an answer of the pages, which is that of the API if the API has one.
// Only what is our own fault says so.
func TestShowError_EveryCode(t *testing.T) {
	t.Parallel()
	apology := i18n.T(i18n.With(t.Context(), i18n.Portuguese), "error.internal_title")
	codes := refusaltest.Codes(t, "../../internal/refusal/refusal.go")
	codes = append(codes, refusaltest.Codes(t, "../../internal/refusal/pages.go")...)
	for _, code := range codes {
		status, text := shownError(t, fmt.Errorf("do: %w", refusal.New(code, "No.")))
		if want := api.Status(code); want != 0 && status != want {
			t.Errorf("%s answers %d, and the API %d", code, status, want)
		}
		ours := code == refusal.Internal || code == refusal.ProviderUnavailable
		if (status >= 500) != ours || status < 400 || strings.Contains(text, apology) != ours {
			t.Errorf("%s answers %d; the page apologizes: %t", code, status, strings.Contains(text, apology))
		}
	}
	if status, _ := shownError(t, fmt.Errorf("read: %w", models.ErrNotFound)); status != http.StatusNotFound {
		t.Errorf("a row that is not there answers %d", status)
	}
}

// shownError returns how the pages answer an error.
func shownError(t *testing.T, err error) (status int, text string) {
	t.Helper()
	app := fiber.New(fiber.Config{ErrorHandler: page.Options{}.ShowError})
	app.Get("/app/x", func(*fiber.Ctx) error { return err })
	answer, failed := app.Test(httptest.NewRequest(http.MethodGet, "/app/x", nil), -1)
	if failed != nil {
		t.Fatal(failed)
	}
	body, failed := io.ReadAll(answer.Body)
	if failed != nil {
		t.Fatal(failed)
	}
	return answer.StatusCode, string(body)
}
