package docs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/views/docs"
	"garoupa/web/webtest"
)

// sampleTime bounds how long a sample may take to be built and run.
const sampleTime = 5 * time.Minute

// runtimes are the programs that run samples. PHP is tested where it is installed.
var runtimes = map[string]string{"curl": "sh", "go": "go", "node": "node", "python": "python3", "php": "php"}

// runnable are the languages whose samples can be run here.
func runnable(languages []docs.Language) []docs.Language {
	return slices.DeleteFunc(slices.Clone(languages), func(l docs.Language) bool {
		_, err := exec.LookPath(runtimes[l.ID])
		return err != nil && l.ID == "php"
	})
}

// sampleOf copies a sample from a page, as a reader would, and points it at the
// address where the test's server listens.
func sampleOf(t *testing.T, s *webtest.Site, page, id, language string) string {
	t.Helper()
	pre := s.Client(t).Get(page + "?code=" + language).Find("#" + id + " pre")
	if pre.Length() != 1 {
		t.Fatalf("%s has %d samples %s in %s", page, pre.Length(), id, language)
	}
	return strings.ReplaceAll(pre.Text(), "http://localhost", s.URL)
}

// program writes a sample to a file and returns how to run it.
func program(t *testing.T, ctx context.Context, language, file, code string, environment ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{path}
	if language == "go" {
		arguments = []string{"run", path}
	}
	command := exec.CommandContext(ctx, runtimes[language], arguments...)
	command.Dir = filepath.Dir(path)
	command.Env = append(os.Environ(), environment...)
	command.WaitDelay = webtest.Patience
	return command
}

// files are what the samples of the reference are called; they are no whole programs
// in every language.
var files = map[string]string{"curl": "sample.sh", "go": "main.go", "node": "sample.mjs", "python": "sample.py",
	"php": "sample.php"}

// The quickstart, copied, makes a paid checkout in every language.
func TestDocs_Quickstart(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			code := sampleOf(t, s, "/docs", "quickstart", language.ID)
			ctx, stop := context.WithTimeout(t.Context(), sampleTime)
			defer stop()
			out, err := program(t, ctx, language.ID, files[language.ID], code,
				"GAROUPA_API_KEY="+s.Key(t, s.Test, models.PermissionCheckoutCreate)).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "/pay/chk_") || !strings.Contains(string(out), "PAID") {
				t.Fatalf("%v: %s", err, out)
			}
			if n := modelstest.One[int](t, s.DB,
				"SELECT count(*) FROM checkouts WHERE status = 'PAID' AND amount = 4990"); n != 1 {
				t.Errorf("%d checkouts were paid", n)
			}
		})
	}
}

// A sample of the reference, copied, gets the answer that is shown beside it.
func TestDocs_ReferenceSamples(t *testing.T) {
	t.Parallel()
	for _, language := range runnable(docs.Languages) {
		t.Run(language.ID, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			key := s.Key(t, s.Test, models.Permissions...)
			for _, sample := range []struct{ page, id, want string }{
				{"/docs/api/checkouts", "createCheckout-sample", "pedido-10482"},
				{"/docs/api/checkouts", "listCheckouts-sample", "nextCursor"},
				{"/docs/api/availability", "readHealth-sample", "1.0.0"},
			} {
				code := sampleOf(t, s, sample.page, sample.id, language.ID)
				ctx, stop := context.WithTimeout(t.Context(), sampleTime)
				out, err := program(t, ctx, language.ID, files[language.ID], code,
					"GAROUPA_API_KEY="+key).CombinedOutput()
				stop()
				if err != nil || !strings.Contains(string(out), sample.want) ||
					strings.Contains(string(out), `"error"`) {
					t.Errorf("%s: %v: %s", sample.id, err, out)
				}
			}
		})
	}
}
