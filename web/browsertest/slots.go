package browsertest

import (
	"runtime"
	"strings"
	"sync"
)

// pages bounds how many tests drive pages at a time: each page keeps a renderer
// process busy, and with too many on few cores all of them miss their deadlines.
var pages = newSlots(max(2, runtime.NumCPU()))

// slots is a semaphore for tests. A test that holds a slot opens further pages, also in
// its subtests, without another one: tests that need two pages would otherwise wait for
// each other for ever.
type slots struct {
	free  chan struct{}
	mu    sync.Mutex
	tests map[string]*holder
}

type holder struct {
	pages int
	slot  bool // false when an enclosing test's slot covers this one
}

func newSlots(n int) *slots {
	return &slots{free: make(chan struct{}, n), tests: map[string]*holder{}}
}

// acquire waits until the test called name may open a page; release ends that page.
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
