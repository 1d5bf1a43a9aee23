package folder_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/taxid"
	"garoupa/pix/psp/bank/folder"
)

// made returns a new folder.
func made(t *testing.T) folder.Folder {
	t.Helper()
	f, err := folder.Init(filepath.Join(t.TempDir(), "b"), time.Now(), "localhost:8443")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Open reads what Init has made, and no two banks are the same.
func TestOpen(t *testing.T) {
	t.Parallel()
	f := made(t)
	got, err := folder.Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, got); diff != "" {
		t.Errorf("(-made +opened)\n%s", diff)
	}
	a := f.Account
	for shape, text := range map[string]string{
		`^banco-[0-9a-f]{16}$`: a.ClientID, `^[0-9A-Za-z_-]{43,}$`: a.ClientSecret,
		`^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$`: a.PixKey, `TESTE$`: a.HolderName, `^localhost:8443$`: a.Address,
	} {
		if !regexp.MustCompile(shape).MatchString(text) {
			t.Errorf("%q does not match %s", text, shape)
		}
	}
	if _, ok := taxid.ParseCNPJ(a.HolderDocument); !ok {
		t.Errorf("the document is %s", a.HolderDocument)
	}
	if f.State() != filepath.Join(f.Dir, "state.jsonl") || f.Socket() != filepath.Join(f.Dir, "control.sock") {
		t.Errorf("the paths are %s and %s", f.State(), f.Socket())
	}
	if b := made(t).Account; b.ClientID == a.ClientID || b.ClientSecret == a.ClientSecret || b.PixKey == a.PixKey {
		t.Errorf("two banks are %+v and %+v", a, b)
	}
}

// Only the owner can read the folder, and nothing unfinished stays in it.
func TestInit_Modes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "b")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := folder.Init(dir, time.Now(), "localhost:8443")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]fs.FileMode{}
	err = filepath.WalkDir(f.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		got[entry.Name()] = info.Mode().Perm()
		return err
	})
	want := map[string]fs.FileMode{"b": 0o700}
	for _, name := range append(pairs(), "bank.json") {
		want[name] = 0o600
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func pairs() (names []string) {
	for _, name := range []string{"ca", "server", "client", "notices"} {
		names = append(names, name+".crt", name+".key")
	}
	return names
}

// Init refuses a folder in use, which stays as it was, and what no bank can serve at.
func TestInit_Refused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := folder.Init(dir, time.Now(), "localhost:8443")
	if err == nil || !strings.Contains(err.Error(), dir+" is not empty") {
		t.Errorf("a folder that is not empty: %v", err)
	}
	files, _ := os.ReadDir(dir)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o755 || len(files) != 1 {
		t.Errorf("it became %v with %v, %v", info.Mode(), files, err)
	}
	for _, address := range []string{"", "localhost", ":8443", "localhost:http", "localhost:65536", "localhost:-1"} {
		unmade := filepath.Join(t.TempDir(), "b")
		if _, err := folder.Init(unmade, time.Now(), address); err == nil ||
			!strings.Contains(err.Error(), "is not an address such as localhost:8443") {
			t.Errorf("the address %q: %v", address, err)
		}
		if _, err := os.Stat(unmade); err == nil {
			t.Errorf("the address %q left a folder", address)
		}
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("b", 90))
	if _, err := folder.Init(long, time.Now(), "localhost:8443"); err == nil ||
		!strings.Contains(err.Error(), "choose a shorter one") {
		t.Errorf("a long path: %v", err)
	}
}

// Open names what is missing, and what to do.
func TestOpen_Missing(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	for _, dir := range []string{none, t.TempDir()} {
		if _, err := folder.Open(dir); err == nil || !strings.HasSuffix(err.Error(), "run garoupa bank init "+dir) {
			t.Errorf("no bank: %v", err)
		}
	}
	for _, name := range append(pairs(), "bank.json") {
		f := made(t)
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil {
			t.Fatal(err)
		}
		_, err := folder.Open(f.Dir)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), f.Dir) ||
			!strings.Contains(err.Error(), "garoupa bank init") || strings.Contains(err.Error(), "\n") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	f := made(t)
	for _, text := range []string{"", "[]", `{"clientId":"banco-0"}`} {
		if err := os.WriteFile(filepath.Join(f.Dir, "bank.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Open(f.Dir); err == nil || !strings.Contains(err.Error(), "bank.json") {
			t.Errorf("with bank.json of %q: %v", text, err)
		}
	}
}

// A crash at any moment leaves a folder that Open refuses: bank.json is written after the others.
func TestInit_Interrupted(t *testing.T) {
	t.Parallel()
	names := pairs()
	for n := range len(names) + 1 {
		f := made(t)
		for _, name := range append(names[n:], "bank.json") {
			if err := os.Remove(filepath.Join(f.Dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := folder.Open(f.Dir); err == nil || !strings.Contains(err.Error(), "garoupa bank init") {
			t.Errorf("after %d files: %v", n, err)
		}
	}
	f := made(t)
	account, err := os.Stat(filepath.Join(f.Dir, "bank.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(f.Dir, name)); err != nil || info.ModTime().After(account.ModTime()) {
			t.Errorf("%s came after bank.json: %v", name, err)
		}
	}
}
