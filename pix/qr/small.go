package qr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"rsc.io/qr/coding"
)

// SmallPNG draws text as an image of few bytes: 4 pixels a module, 1 bit a pixel, including
// the quiet zone. Every answer about a test checkout embeds such an image, so it must be
// cheap. rsc.io/qr is about thirty times as fast as skip2, although its symbol is sometimes
// one size larger (it does not mix alphabets and takes the first mask). Its plan of a
// symbol depends only on the size and is kept. The file is written here, because the
// library's writer takes most of the time and more than twice the bytes, see deflated.
func SmallPNG(text string) ([]byte, error) {
	symbol, err := encode(text)
	if err != nil {
		return nil, err
	}
	w := writers.Get().(*deflated)
	defer writers.Put(w)
	w.image(symbol)

	side := uint32(symbol.Size+2*quiet) * scale
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	header = append(header, 1, 0, 0, 0, 0) // 1 bit of gray; deflate, adaptive filters, not interlaced
	file := make([]byte, 0, 64+len(w.out))
	file = append(file, "\x89PNG\r\n\x1a\n"...)
	file = appendChunk(file, "IHDR", header)
	file = appendChunk(file, "IDAT", w.out)
	return appendChunk(file, "IEND", nil), nil
}

const scale = 4 // pixels a module in a small image: a module is half a byte

// plans holds the layout of each version (size) of symbol that was needed. A plan is only
// read, so creating one twice is harmless.
var plans [coding.MaxVersion + 1]atomic.Pointer[coding.Plan]

func encode(text string) (*coding.Code, error) {
	if text == "" {
		return nil, errors.New("qr: no text")
	}
	data := coding.String(text)
	version := coding.Version(coding.MinVersion)
	for data.Bits(version) > version.DataBytes(coding.M)*8 {
		if version == coding.MaxVersion {
			return nil, fmt.Errorf("qr: %d bytes are too many for a symbol", len(text))
		}
		version++
	}
	plan := plans[version].Load()
	if plan == nil {
		var err error
		if plan, err = coding.NewPlan(version, coding.M, 0); err != nil {
			return nil, fmt.Errorf("qr: plan version %d: %w", version, err)
		}
		plans[version].Store(plan)
	}
	symbol, err := plan.Encode(data)
	if err != nil {
		return nil, fmt.Errorf("qr: encode %d bytes: %w", len(text), err)
	}
	return symbol, nil
}

var writers = sync.Pool{New: func() any { return new(deflated) }}

// zeros is as wide as the largest symbol, of 177 modules.
var zeros [(177 + 2*quiet + 1) / 2]byte

// appendChunk appends a chunk of a PNG file.
func appendChunk(file []byte, kind string, data []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	start := len(file)
	file = append(append(file, kind...), data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
