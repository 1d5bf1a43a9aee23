package bacen

import (
	"slices"
	"strings"
	"sync"
)

// shownPart is the least length of the beginning of a secret that is taken out of a text.
const shownPart = 8

// secrets are texts that no error has, whatever the bank says. It is safe for concurrent use.
type secrets struct {
	mu    sync.Mutex
	texts []string
}

func (s *secrets) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.texts, text) {
		s.texts = append(s.texts, text)
	}
}

// without replaces the secrets in a text of the bank, also where the text ends within one. It must be called
// before the text is shortened, which may leave too little of a secret to be known.
func (s *secrets) without(said string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.texts {
		for n := len(secret); n >= shownPart; n-- {
			said = strings.ReplaceAll(said, secret[:n], "…")
		}
	}
	return said
}
