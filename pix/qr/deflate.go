package qr

import (
	"encoding/binary"
	"hash/adler32"
	"math/bits"
	"sync/atomic"

	"rsc.io/qr/coding"
)

// deflated writes the data of a small image: one block of deflate (RFC 1951) in a zlib stream (RFC 1950). A general
// compressor would search for what is known here. A pixel row of modules has four different bytes and is followed
// by three copies, which PNG's filter Up turns into zeros. So a row is written as literals of two or three bits, and
// its copies as one match with those of the row before.
type deflated struct {
	out  []byte
	hold uint64
	held uint
	rows []byte // the uncompressed data
}

// code is a Huffman code with its bits in the order of the stream, or bits that follow one.
type code struct {
	bits  uint32
	count uint
}

// The codes for literals and lengths, by RFC 1951 in the order of their lengths and then of their symbols: 00, 0F
// and FF have two bits, F0 three, the length of a match four, 02 (the filter Up) and the end of the block five.
var (
	black      = code{0b00, 2}
	blackWhite = code{0b10, 2}
	white      = code{0b01, 2}
	whiteBlack = code{0b011, 3}
	matched    = code{0b0111, 4}
	filterUp   = code{0b01111, 5}
	ended      = code{0b11111, 5}
	nearest    = code{0, 1} // the only distance
)

// pairs are two modules, the left one in the higher bit, as a byte of pixels and its code.
var pairs = [4]struct {
	pixels byte
	code   code
}{{0xFF, white}, {0xF0, whiteBlack}, {0x0F, blackWhite}, {0x00, black}}

func (d *deflated) add(c code) {
	d.hold |= uint64(c.bits) << d.held
	for d.held += c.count; d.held >= 8; d.held -= 8 {
		d.out = append(d.out, byte(d.hold))
		d.hold >>= 8
	}
}

// image writes the data of symbol.
func (d *deflated) image(symbol *coding.Code) {
	width := (symbol.Size + 2*quiet + 1) / 2
	m := matchOf(width)
	d.out, d.rows = append(d.out[:0], m.head...), d.rows[:0]
	d.hold, d.held = m.rest, m.held
	for y := -quiet; y < symbol.Size+quiet; y++ {
		var modules []byte
		if y >= 0 && y < symbol.Size {
			modules = symbol.Bitmap[y*symbol.Stride:][:(symbol.Size+7)/8]
		}
		d.row(modules, symbol.Size, width)
		for range scale - 1 {
			d.rows = append(append(d.rows, 2), zeros[:width]...)
		}
		if y > -quiet {
			for range m.times {
				d.add(matched)
				d.add(m.length)
				d.add(nearest)
				d.add(m.distance)
			}
			continue
		}
		for range scale - 1 {
			d.add(filterUp)
			for range width {
				d.add(black)
			}
		}
	}
	d.add(ended)
	d.add(code{0, 7}) // completes the last byte
	d.out = binary.BigEndian.AppendUint32(d.out, adler32.Checksum(d.rows))
}

// row writes a row of modules, nil for one of the quiet zone, between the margins on both sides.
func (d *deflated) row(modules []byte, size, width int) {
	d.add(black) // PNG's filter None is a zero too
	d.rows = append(d.rows, 0)
	for i := range width {
		pair := byte(0)
		if x := 2*i - quiet; modules != nil && x >= 0 && x < size {
			pair = modules[x/8] >> (6 - x%8) & 3
		}
		d.add(pairs[pair].code)
		d.rows = append(d.rows, pairs[pair].pixels)
	}
}

// match is what all images of one width have in common: the beginning of the stream, and the match that stands for
// the copies of a row.
type match struct {
	head             []byte
	rest             uint64 // bits after the head
	held             uint   // their number
	times            int
	length, distance code // the bits that follow their codes
}

var matches [len(zeros) + 1]atomic.Pointer[match]

func matchOf(width int) *match {
	if m := matches[width].Load(); m != nil {
		return m
	}
	const longest = 258
	length, times := (scale-1)*(width+1), 1
	if length > longest {
		length, times = width+1, scale-1
	}
	lengthSymbol, lengthBits := lengthCode(length)
	distanceSymbol, distanceBits := distanceCode(scale * (width + 1))
	d := deflated{out: []byte{0x78, 0x01}} // deflate with a window of 32 kB
	d.add(code{1, 1})                      // the last block
	d.add(code{2, 2})                      // which brings its codes
	d.add(code{uint32(lengthSymbol - 256), 5})
	d.add(code{uint32(distanceSymbol), 5})
	d.codeLengths(lengthSymbol, distanceSymbol)
	m := &match{head: d.out, rest: d.hold, held: d.held, times: times, length: lengthBits, distance: distanceBits}
	matches[width].Store(m) // only read, so making it twice is harmless
	return m
}

// codeLengths writes how long the codes above are. The lengths 0 to 5 and runs of zeros have codes of three bits.
func (d *deflated) codeLengths(lengthSymbol, distanceSymbol int) {
	const shortRun, longRun = 6, 7 // 3 to 10 and 11 to 138 zeros
	known := []int{16: 0, 17: 3, 18: 3, 0: 3, 5: 3, 4: 3, 3: 3, 2: 3, 1: 3}
	order := []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1}
	d.add(code{uint32(len(order) - 4), 4})
	for _, symbol := range order {
		d.add(code{uint32(known[symbol]), 3})
	}
	three := func(n int) { d.add(code{bits.Reverse32(uint32(n)) >> 29, 3}) }
	skip := func(n int) {
		for n > 10 {
			run := min(n, 138)
			three(longRun)
			d.add(code{uint32(run - 11), 7})
			n -= run
		}
		if n > 2 {
			three(shortRun)
			d.add(code{uint32(n - 3), 3})
			n = 0
		}
		for range n {
			three(0)
		}
	}
	next := 0
	for _, symbol := range []struct{ at, length int }{{0x00, 2}, {0x02, 5}, {0x0F, 2}, {0xF0, 3}, {0xFF, 2}, {256, 5},
		{lengthSymbol, 4}} {
		skip(symbol.at - next)
		three(symbol.length)
		next = symbol.at + 1
	}
	skip(distanceSymbol)
	three(1)
}

// lengthCode returns the symbol of a length, from 11 to 258, and the bits that follow its code.
func lengthCode(length int) (symbol int, follow code) {
	if length == 258 {
		return 285, code{}
	}
	v := uint(length - 3)
	n := bits.Len(v) - 3
	return 257 + 4*(n+1) + int(v>>n&3), code{uint32(v & (1<<n - 1)), uint(n)}
}

// distanceCode returns the symbol of a distance, from 5, and the bits that follow its code.
func distanceCode(distance int) (symbol int, follow code) {
	v := uint(distance - 1)
	n := bits.Len(v) - 2
	return 2*(n+1) + int(v>>n&1), code{uint32(v & (1<<n - 1)), uint(n)}
}
