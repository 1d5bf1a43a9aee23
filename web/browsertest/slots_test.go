package browsertest

import "testing"

func TestSlots(t *testing.T) {
	t.Parallel()
	s := newSlots(1)
	first := s.acquire("TestA")
	second := s.acquire("TestA")
	inner := s.acquire("TestA/sub/sub")
	other := make(chan func())
	go func() { other <- s.acquire("TestAB") }()
	first()
	inner()
	select {
	case <-other:
		t.Fatal("another test got the slot while the first had a page")
	default:
	}
	second()
	second()
	(<-other)()
	s.acquire("TestC")()
	if len(s.free) != 0 || len(s.tests) != 0 {
		t.Errorf("%d slots taken by %v after all were released", len(s.free), s.tests)
	}
}
