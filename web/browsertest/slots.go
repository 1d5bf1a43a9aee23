package browsertest

import (
	"runtime"
	"strings"
	"sync"
)

// pages bounds how many tests use pages at a time: each page keeps a renderer process busy,
// and too many of them on few cores miss their deadlines.
var pages = newSlots(max(2, runtime.NumCPU()))

// slots is a semaphore for tests. A test that holds a slot can open more pages, also in its
// subtests, without another slot: otherwise tests that need two pages would wait for each
// other forever.
type slots struct {
	free  chan struct{}
	mu    sync.Mutex
	tests map[string]*holder
}

type holder struct {
	pages int
	slot  bool // false if the slot of an enclosing test covers this one
}

func newSlots(n int) *slots {
	return &slots{free: make(chan struct{}, n), tests: map[string]*holder{}}
}

// acquire waits until the test called name may open a page. release gives the slot back when
// that page closes.
func (s *slots) acquire(name string) (release func()) {
	needed := !s.covered(name)
	if needed {
		s.free <- struct{}{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	test := s.tests[name]
	if test == nil {
		test = &holder{slot: needed}
		s.tests[name] = test
	}
	test.pages++
	return sync.OnceFunc(func() { s.release(name) })
}

func (s *slots) covered(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.tests[name] != nil {
			return true
		}
		end := strings.LastIndexByte(name, '/')
		if end < 0 {
			return false
		}
		name = name[:end]
	}
}

func (s *slots) release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	test := s.tests[name]
	test.pages--
	if test.pages > 0 {
		return
	}
	delete(s.tests, name)
	if test.slot {
		<-s.free
	}
}
