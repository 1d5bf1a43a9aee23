package auditlog

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sealedLines returns the lines of seals with the given numbers of lines.
func sealedLines(t *testing.T, counts ...int) (lines []Line) {
	t.Helper()
	previous := strings.Repeat("00", 32)
	for i, count := range counts {
		s := sealed{Seal{Number: int64(i + 1), Lines: count, Previous: previous}, map[int64]string{}}
		first := len(lines)
		for range count {
			id := len(lines) + 1
			l := Line{ID: fmt.Sprint(id), At: "2026-11-20T12:00:00.123456Z", Actor: "usr_1", Type: "api_key.created",
				Detail: json.RawMessage(`{"name": "a", "x": "<é>"}`), Before: json.RawMessage("{}"),
				After: json.RawMessage(`{}`)}
			var err error
			if l.SHA256, err = l.hash(); err != nil {
				t.Fatal(err)
			}
			s.hashes[int64(id)] = l.SHA256
			lines = append(lines, l)
		}
		s.Hash = s.made()
		for j := range lines[first:] {
			lines[first+j].Seal = s.Seal
		}
		previous = s.Hash
	}
	return lines
}

// verify returns the flaws of lines.
func verify(t *testing.T, lines []Line) []string {
	t.Helper()
	var v Verifier
	for i := range lines {
		text, err := lines[i].Encode()
		if err == nil {
			err = v.Read(strings.NewReader(string(text)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return v.Flaws()
}

func fit(l *Line) { l.SHA256, _ = l.hash() }

// Whatever is changed in a line is found, also where the line's own hash was made anew.
func TestVerifier_Line(t *testing.T) {
	t.Parallel()
	changed, unfit := []string{"changed since it was sealed: line 2"}, []string{"does not fit its lines: seal 1"}
	account := "acc_1"
	for name, tc := range map[string]struct {
		forge func(lines []Line) []Line
		want  []string
	}{
		"nothing":           {func(l []Line) []Line { return l }, nil},
		"a repeat":          {func(l []Line) []Line { return append(l, l...) }, nil},
		"another end":       {func(l []Line) []Line { return l[:5] }, nil},
		"a later beginning": {func(l []Line) []Line { return l[3:] }, nil},
		"the time":          {func(l []Line) []Line { l[1].At = "2026-11-20T12:00:00.123457Z"; return l }, changed},
		"no time":           {func(l []Line) []Line { l[1].At = "yesterday"; return l }, changed},
		"the actor":         {func(l []Line) []Line { l[1].Actor = "usr_2"; return l }, changed},
		"the role":          {func(l []Line) []Line { l[1].ActorRole = "OWNER"; return l }, changed},
		"the account":       {func(l []Line) []Line { l[1].AccountID = &account; return l }, changed},
		"the type":          {func(l []Line) []Line { l[1].Type = "api_key.revoked"; return l }, changed},
		"the object":        {func(l []Line) []Line { l[1].ObjectID = "key_2"; return l }, changed},
		"a fact": {func(l []Line) []Line {
			l[1].Detail = json.RawMessage(`{"name": "b", "x": "<é>"}`)
			return l
		}, changed},
		"a fact more": {func(l []Line) []Line { l[1].Before = json.RawMessage(`{"a": "b"}`); return l }, changed},
		"the facts":   {func(l []Line) []Line { l[1].After = json.RawMessage(`null`); return l }, changed},
		"the address": {func(l []Line) []Line { l[1].IP = "::1"; return l }, changed},
		"the request": {func(l []Line) []Line { l[1].RequestID = "req_1"; return l }, changed},
		"the form of facts": {func(l []Line) []Line {
			l[1].Detail = json.RawMessage(`{ "x":"\u003c\u00e9>", "name":"a" }`)
			return l
		}, nil},
		"a line and its hash": {func(l []Line) []Line { l[1].Actor = "usr_2"; fit(&l[1]); return l }, unfit},
	} {
		if diff := cmp.Diff(tc.want, verify(t, tc.forge(sealedLines(t, 3, 2, 1)))); diff != "" {
			t.Errorf("%s (-want +found)\n%s", name, diff)
		}
	}
}

// What is left out or put in is found, and a seal that was made anew.
func TestVerifier_Seal(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		forge func(lines []Line) []Line
		want  []string
	}{
		"a line twice": {func(l []Line) []Line {
			forged := l[1]
			forged.Actor = "usr_2"
			fit(&forged)
			return append(l, forged)
		}, []string{"changed since it was sealed: line 2", "does not fit its lines: seal 1"}},
		"a line less": {func(l []Line) []Line { return append(l[:1], l[2:]...) },
			[]string{"missing: 1 of the 3 lines of seal 1"}},
		"a line more": {func(l []Line) []Line {
			added := l[2]
			added.ID = "77"
			fit(&added)
			return append(l, added)
		}, []string{"does not fit its lines: seal 1"}},
		"a seal less": {func(l []Line) []Line { return append(l[:3], l[5:]...) }, []string{"missing: seals 2 to 2"}},
		"a seal made anew": {func(l []Line) []Line {
			l[1].Actor = "usr_2"
			fit(&l[1])
			s := sealed{l[1].Seal, map[int64]string{1: l[0].SHA256, 2: l[1].SHA256, 3: l[2].SHA256}}
			for i := range 3 {
				l[i].Seal.Hash = s.made()
			}
			return l
		}, []string{"does not follow from the one before: seal 2"}},
		"another first seal": {func(l []Line) []Line {
			for i := range 3 {
				l[i].Seal.Previous = hex.EncodeToString(make([]byte, 31)) + "01"
			}
			return l
		}, []string{"does not follow from the one before: seal 1", "does not fit its lines: seal 1"}},
		"a seal of one line": {func(l []Line) []Line { l[1].Seal.Lines = 2; return l },
			[]string{"its lines disagree about it: seal 1"}},
	} {
		if diff := cmp.Diff(tc.want, verify(t, tc.forge(sealedLines(t, 3, 2, 1)))); diff != "" {
			t.Errorf("%s (-want +found)\n%s", name, diff)
		}
	}
}

// What is no line does not count.
func TestVerifier_Unreadable(t *testing.T) {
	t.Parallel()
	var v Verifier
	text := "\n{\"id\":\"1\",\"a\n{}\n[]\n{\"id\":\"1\"}\n{\"id\":\"x\",\"seal\":{\"number\":1}}\n"
	if err := v.Read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	lines, _, _, _ := v.Summary()
	if v.Unreadable != 5 || lines != 0 || len(v.Flaws()) != 0 {
		t.Errorf("%d unreadable, %d lines, flaws %q", v.Unreadable, lines, v.Flaws())
	}
}
