package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// placeKept is how old a place may be to go on from. Whoever comes back after
	// longer looks at what happens now.
	placeKept = 24 * time.Hour
	// placeIDs is how many events a place names: those that a gateway may send again
	// after the last one was forwarded a moment before them.
	placeIDs = 100
)

// place is how far one address got in a stream of test events, kept in the person's
// cache folder so that the next run goes on there. Its file holds ids of events, one
// a line, the latest last, and is named by a digest of gateway, key and address.
type place struct {
	path string
	ids  []string
}

// openPlace returns the place of an address. One that cannot be kept is nil, with why;
// nothing but going on depends on it.
func openPlace(r *remote, target string) (*place, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(cache, "garoupa")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(strings.Join([]string{r.server, r.key, target}, "\n")))
	p := &place{path: filepath.Join(folder, "listen-"+hex.EncodeToString(digest[:16]))}
	return p, p.read()
}

// read takes the ids of a file that is young enough; without one there are none.
func (p *place) read() error {
	info, err := os.Stat(p.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && time.Since(info.ModTime()) > placeKept {
		return nil
	} else if err != nil {
		return err
	}
	text, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	p.ids = strings.Fields(string(text))
	return nil
}

// keep notes that the event was forwarded, after all that were before. A run that is
// killed leaves the file as it was or as it is to be.
func (p *place) keep(id string) error {
	if p.ids = append(p.ids, id); len(p.ids) > placeIDs {
		p.ids = p.ids[len(p.ids)-placeIDs:]
	}
	written := p.path + ".new"
	if err := os.WriteFile(written, []byte(strings.Join(p.ids, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(written, p.path)
}
