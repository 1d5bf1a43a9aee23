package pix

import "testing"

// The check value that catalogs give for CRC-16/CCITT-FALSE.
func TestCRC16(t *testing.T) {
	t.Parallel()
	if got := crc16("123456789"); got != 0x29B1 {
		t.Errorf("crc16 = %04X, want 29B1", got)
	}
	if got := checksum([]byte("")); string(got[:]) != "FFFF" {
		t.Errorf("checksum of nothing = %s, want FFFF", got[:])
	}
}
