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
	// placeKept is the maximal age of a place. After a longer pause, a run begins with new
	// events.
	placeKept = 24 * time.Hour
	// placeIDs is how many events a place names: the gateway may send again those that came
	// shortly before the last one.
	placeIDs = 100
)

// place is the position of one address in a stream of test events. It is kept in the user's
// cache folder so that the next run continues there. Its file holds ids of events, one a
// line, the latest last; its name is a digest of gateway, key and address.
type place struct {
	path string
	ids  []string
}

// openPlace returns the place of an address, or an error if the place cannot be stored.
// Without a place, listen works but the next run cannot continue.
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

// read returns the ids of a file that is young enough, otherwise none.
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

// keep records that the event was forwarded. If the process is killed, the file is the old
// one or the new one.
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
