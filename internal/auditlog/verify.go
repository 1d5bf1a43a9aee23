package auditlog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxLine is the largest line that Read accepts, in bytes.
const maxLine = 16 << 20

// firstPrevious is what the first seal of all follows.
var firstPrevious = strings.Repeat("0", 2*sha256.Size)

// Verifier verifies lines that a receiver has, from any number of files. The zero value has read nothing.
type Verifier struct {
	Unreadable int // lines that are not whole, as the end of an interrupted write is not
	seals      map[int64]*sealed
	changed    map[int64]bool // lines that do not fit their own hash, or that have two
	differing  map[int64]bool // seals of which lines say different things
}

// sealed is a seal with the lines that were read.
type sealed struct {
	Seal
	hashes map[int64]string // of the lines, by id
}

// Read reads lines. The same line may come several times.
func (v *Verifier) Read(r io.Reader) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 {
			v.add(text)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("auditlog: read: %w", err)
	}
	return nil
}

func (v *Verifier) add(text []byte) {
	var l Line
	if json.Unmarshal(text, &l) != nil {
		v.Unreadable++
		return
	}
	id, err := strconv.ParseInt(l.ID, 10, 64)
	if err != nil || l.Seal.Number < 1 {
		v.Unreadable++
		return
	}
	if v.seals == nil {
		v.seals, v.changed, v.differing = map[int64]*sealed{}, map[int64]bool{}, map[int64]bool{}
	}
	if hash, err := l.hash(); err != nil || hash != l.SHA256 {
		v.changed[id] = true
	}
	s := v.seals[l.Seal.Number]
	if s == nil {
		s = &sealed{l.Seal, map[int64]string{}}
		v.seals[l.Seal.Number] = s
	}
	if s.Seal != l.Seal {
		v.differing[l.Seal.Number] = true
	}
	if known, again := s.hashes[id]; again && known != l.SHA256 {
		v.changed[id] = true
	}
	s.hashes[id] = l.SHA256
}

// Summary says what was read: the number of lines, the first and the last seal, and the hash of the last.
func (v *Verifier) Summary() (lines int, first, last int64, hash string) {
	numbers := slices.Sorted(maps.Keys(v.seals))
	if len(numbers) == 0 {
		return 0, 0, 0, ""
	}
	for _, s := range v.seals {
		lines += len(s.hashes)
	}
	first, last = numbers[0], numbers[len(numbers)-1]
	return lines, first, last, v.seals[last].Hash
}

// Flaws returns what does not agree, one sentence each. That nothing is left out before the first seal that was read
// and after the last, and that not all was made anew, only another copy of the last hash can tell.
func (v *Verifier) Flaws() (flaws []string) {
	for _, id := range slices.Sorted(maps.Keys(v.changed)) {
		flaws = append(flaws, fmt.Sprintf("changed since it was sealed: line %d", id))
	}
	var before *sealed
	for _, number := range slices.Sorted(maps.Keys(v.seals)) {
		s := v.seals[number]
		if before != nil && number != before.Number+1 {
			flaws = append(flaws, fmt.Sprintf("missing: seals %d to %d", before.Number+1, number-1))
			before = nil
		}
		if v.differing[number] {
			flaws = append(flaws, fmt.Sprintf("its lines disagree about it: seal %d", number))
		}
		if number == 1 && s.Previous != firstPrevious || before != nil && s.Previous != before.Hash {
			flaws = append(flaws, fmt.Sprintf("does not follow from the one before: seal %d", number))
		}
		switch {
		case len(s.hashes) < s.Lines:
			flaws = append(flaws, fmt.Sprintf("missing: %d of the %d lines of seal %d", s.Lines-len(s.hashes), s.Lines,
				number))
		case s.made() != s.Hash:
			flaws = append(flaws, fmt.Sprintf("does not fit its lines: seal %d", number))
		}
		before = s
	}
	return flaws
}

// made returns the hash of a seal over the lines.
func (s *sealed) made() string {
	h := sha256.New()
	previous, _ := hex.DecodeString(s.Previous) // what is no hexadecimal number leads to another hash
	h.Write(previous)
	for _, id := range slices.Sorted(maps.Keys(s.hashes)) {
		sum, _ := hex.DecodeString(s.hashes[id])
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
		h.Write(sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}
