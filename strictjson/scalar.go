package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// number reads -?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)? and keeps its text.
func (p *parser) number() (Value, error) {
	start := p.at
	p.accept('-')
	if !p.accept('0') && !p.digits() {
		return Value{}, p.unexpected()
	}
	if p.accept('.') && !p.digits() {
		return Value{}, p.unexpected()
	}
	if p.accept('e') || p.accept('E') {
		_ = p.accept('+') || p.accept('-')
		if !p.digits() {
			return Value{}, p.unexpected()
		}
	}
	return Value{Kind: Number, Text: string(p.body[start:p.at])}, nil
}

func (p *parser) accept(b byte) bool {
	if p.at < len(p.body) && p.body[p.at] == b {
		p.at++
		return true
	}
	return false
}

func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.body) && p.body[p.at] >= '0' && p.body[p.at] <= '9' {
		p.at++
	}
	return p.at > start
}

// text reads a string, the quote being next.
func (p *parser) text() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.body) {
		switch b := p.body[p.at]; {
		case b == '"':
			p.at++
			return string(p.body[start : p.at-1]), nil
		case b == '\\':
			return p.escapedText(append([]byte(nil), p.body[start:p.at]...))
		case b < ' ':
			return "", p.unexpected()
		}
		p.at++
	}
	return "", p.unexpected()
}

// escapedText goes on with a string whose first escape is next.
func (p *parser) escapedText(text []byte) (string, error) {
	for p.at < len(p.body) {
		b := p.body[p.at]
		switch {
		case b == '"':
			p.at++
			return string(text), nil
		case b < ' ':
			return "", p.unexpected()
		case b != '\\':
			text = append(text, b)
			p.at++
			continue
		}
		p.at++
		r, ok := p.escape()
		if !ok {
			return "", p.unexpected()
		}
		text = utf8.AppendRune(text, r)
	}
	return "", p.unexpected()
}

// escape reads what follows a backslash. A surrogate without its other half is
// no character, so it is refused.
func (p *parser) escape() (rune, bool) {
	if p.at >= len(p.body) {
		return 0, false
	}
	b := p.body[p.at]
	if b == 'u' {
		p.at++
		high, ok := p.hex4()
		if !ok || !utf16.IsSurrogate(high) {
			return high, ok
		}
		if !p.accept('\\') || !p.accept('u') {
			return 0, false
		}
		low, ok := p.hex4()
		r := utf16.DecodeRune(high, low)
		return r, ok && r != utf8.RuneError
	}
	for i, letter := range []byte(`"\/bfnrt`) {
		if b == letter {
			p.at++
			return rune("\"\\/\b\f\n\r\t"[i]), true
		}
	}
	return 0, false
}

func (p *parser) hex4() (rune, bool) {
	if p.at+4 > len(p.body) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.body[p.at:p.at+4]), 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += 4
	return rune(n), true
}
