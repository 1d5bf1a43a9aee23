package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	profiledConnections = 8
	profileSeconds      = 5
	profileFolder       = folder + "/profiles" // read by go tool pprof
)

// profiling is one more file for the product's main package. Only the program that this run
// builds has the profiling endpoint; the product does not.
//
//go:embed profiled.go.txt
var profiling []byte

// profile is the distribution of the server's CPU time in one series.
type profile struct {
	series, top string
}

// profile runs each series once more on the profiling build.
func (b *bench) profile(ctx context.Context) (profiles []profile, err error) {
	door, err := freeAddress()
	if err != nil {
		return nil, err
	}
	v, err := b.site.serve(ctx, b.profiled, b.site.postgres.URL(), "BENCH_PPROF_LISTEN="+door)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.stop()) }()
	all, err := b.series()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(profileFolder, 0o755); err != nil {
		return nil, err
	}
	for _, work := range all {
		progress(work.name + ", profiled")
		p, err := b.profileOne(ctx, work, "http://"+door)
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", work.name, err)
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

// released are the flags of the measured build.
var released = []string{"-trimpath"}

// buildProfiled builds the product in root, with the profiling file added, into the folder
// dir. flags are for the compiler.
func buildProfiled(ctx context.Context, root, dir string, flags ...string) (string, error) {
	added := filepath.Join(dir, "profiled.go")
	if err := os.WriteFile(added, profiling, 0o600); err != nil {
		return "", err
	}
	place, err := filepath.Abs(filepath.Join(root, "cmd/garoupa/profiled_by_bench.go"))
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{place: added}})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "garoupa-profiled")
	build := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-buildvcs=false",
		"-overlay="+overlayFile, "-o", program, "./cmd/garoupa")...)
	build.Dir = root
	if !slices.Contains(flags, "-race") { // the race detector is written in C
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	output, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build a server that can be profiled: %w: %s", err, output)
	}
	return program, nil
}

func (b *bench) profileOne(ctx context.Context, work series, door string) (profile, error) {
	if err := work.ready(ctx, profileSeconds+1); err != nil {
		return profile{}, err
	}
	path := filepath.Join(profileFolder, strings.ReplaceAll(work.name, " ", "-")+".pprof")
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error {
		_, err := generate(running, b.site.listen, profiledConnections, (profileSeconds+1)*time.Second, work.requests)
		return err
	})
	group.Go(func() error {
		return download(running, fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", door, profileSeconds), path)
	})
	if err := group.Wait(); err != nil {
		return profile{}, err
	}
	output, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=28", "-hide="+tedious,
		b.profiled, path).Output()
	if err != nil {
		return profile{}, fmt.Errorf("go tool pprof: %w", err)
	}
	return profile{series: work.name, top: shortened(string(output))}, nil
}

// tedious matches functions that all requests pass through, and functions of Go's runtime
// that explain nothing by themselves.
const tedious = `^(internal/poll\.|syscall\.|net\.\(|github\.com/valyala/fasthttp\.\(\*workerPool\)|` +
	`github\.com/gofiber/fiber/v2\.|` +
	`garoupa/server\.|garoupa/api\.(Register|\(\*server\)\.(acceptBody|authenticate$))|` +
	`runtime\.(systemstack|mcall|park_m|schedule$|gosched|gcBgMarkWorker\.|gcDrain))`

var typeArguments = regexp.MustCompile(`\[go\.shape\..*\]`)

// shortened returns the functions of pprof's output in readable lines.
func shortened(answer string) string {
	const header = "      flat  flat%"
	_, list, _ := strings.Cut(answer, header)
	var b strings.Builder
	b.WriteString(header)
	for line := range strings.Lines(list) {
		b.WriteString(typeArguments.ReplaceAllString(line, "[…]"))
	}
	return b.String()
}

func download(ctx context.Context, address, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, answer.Body)
	return errors.Join(err, file.Close())
}
