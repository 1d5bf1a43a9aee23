package pix

// crc16 is CRC-16/CCITT-FALSE (IBM-3740), the checksum of tag 63: polynomial 0x1021,
// initial value 0xFFFF, nothing reflected, nothing inverted. It processes one byte per
// step: the shifts are the polynomial's terms 12, 5 and 0.
func crc16[T string | []byte](text T) uint16 {
	crc := uint16(0xFFFF)
	for i := range len(text) {
		x := crc>>8 ^ uint16(text[i])
		x ^= x >> 4
		crc = crc<<8 ^ x<<12 ^ x<<5 ^ x
	}
	return crc
}

// checksum returns the value of tag 63 for a code that ends in "6304": the CRC of its
// bytes, in UTF-8, as upper-case hex.
func checksum[T string | []byte](code T) (sum [4]byte) {
	const digits = "0123456789ABCDEF"
	crc := crc16(code)
	for i := range sum {
		sum[i] = digits[crc>>12]
		crc <<= 4
	}
	return sum
}
