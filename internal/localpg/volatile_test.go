package localpg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVolatile(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(dataDir(t), "made")
	s, err := Start(t.Context(), Options{Dir: parent, Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"max_connections": "500"}
	got := map[string]string{}
	for name := range want {
		got[name] = query(t, s.URL(), "SHOW "+name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	mustStop(t, s)
	if left := volatileFolders(parent); len(left) > 0 {
		t.Errorf("Stop left %v", left)
	}
}

func volatileFolders(parent string) []string {
	found, _ := filepath.Glob(filepath.Join(parent, volatilePrefix+"*"))
	return found
}

// The next start removes the files of a killed process, and none of a living one.
func TestVolatileKilled(t *testing.T) {
	t.Parallel()
	parent := dataDir(t)
	killed := startPeer(t, "volatile", parent, 0)
	killed.url(t)
	abandoned := volatileFolders(parent)
	living := startPeer(t, "volatile", parent, 0)
	url := living.url(t)
	killed.kill()

	s, err := Start(t.Context(), Options{Dir: parent, Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	defer mustStop(t, s)
	if len(abandoned) != 1 || exists(abandoned[0]) {
		t.Errorf("the killed process left %v", abandoned)
	}
	query(t, url, "SELECT 1")
	living.finish(t)
	if left := volatileFolders(parent); len(left) != 1 {
		t.Errorf("left: %v, want only the files of this process", left)
	}
}

func TestForTests(t *testing.T) {
	t.Parallel()
	h := startPeer(t, "fortests", "", 0)
	url := h.url(t)
	query(t, url, "SELECT 1")
	h.finish(t)
	data := strings.TrimSuffix(hostOf(t, url), "/")
	eventually(t, "the server ends with the process", func() bool { return len(serverProcesses(data)) == 0 })

	s, err := Start(t.Context(), Options{Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	mustStop(t, s)
	if exists(data) {
		t.Errorf("the next start left %s", data)
	}
}

func TestForTestsGiven(t *testing.T) {
	t.Setenv("TEST_DATABASE_URL", "postgres://given")
	if url, err := ForTests(); err != nil || url != "postgres://given" {
		t.Errorf("ForTests = %s, %v, want TEST_DATABASE_URL", url, err)
	}
}

func TestMakePrivate(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	open := filepath.Join(base, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(base, "own")
	for path, good := range map[string]bool{own: true, open: false, link: false} {
		for range 2 {
			if err := makePrivate(path); (err == nil) != good {
				t.Errorf("makePrivate(%s) = %v, want good: %v", path, err, good)
			}
		}
	}
}
