package qr_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"garoupa/pix/qr"
)

const brCode = "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca255204" +
	"000053039865406123.455802BR5910LOJA TESTE6009SAO PAULO62070503***6304ABCD"

// texts returns texts of 60 to 400 characters that resemble BR Codes, and some that do not.
func texts() []string {
	texts := []string{
		brCode,
		"x",
		"12345678901234567890",
		"HTTPS://GAROUPA.EXAMPLE/L/0123456789ABCDEF",
		strings.Replace(brCode, "SAO PAULO", "São Luís 🐟", 1),
		strings.Repeat("çãé", 60),
	}
	for length := 60; length <= 400; length += 17 {
		texts = append(texts, strings.Repeat(brCode, 3)[length%7:][:length])
	}
	return texts
}

func TestReadable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		draw func(text string) ([]byte, error)
	}{
		{"SVG", rasterized},
		{"PNG", func(text string) ([]byte, error) { return qr.PNG(text, 512) }},
		{"SmallPNG", qr.SmallPNG},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := texts()
			var images [][]byte
			for _, text := range want {
				file, err := tc.draw(text)
				if err != nil {
					t.Fatal(err)
				}
				images = append(images, file)
			}
			if diff := cmp.Diff(want, readByGozxing(t, images)); diff != "" {
				t.Errorf("gozxing (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(want, readByJSQR(t, images)); diff != "" {
				t.Errorf("jsQR (-want +got)\n%s", diff)
			}
		})
	}
}

func readByGozxing(t *testing.T, images [][]byte) []string {
	t.Helper()
	var texts []string
	for _, file := range images {
		bitmap, err := gozxing.NewBinaryBitmapFromImage(decode(t, file))
		if err != nil {
			t.Fatal(err)
		}
		result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{
			gozxing.DecodeHintType_TRY_HARDER:    true,
			gozxing.DecodeHintType_CHARACTER_SET: "UTF-8",
		})
		if err != nil {
			t.Fatalf("gozxing: %v", err)
		}
		texts = append(texts, result.GetText())
	}
	return texts
}

func readByJSQR(t *testing.T, images [][]byte) []string {
	t.Helper()
	input, err := json.Marshal(images)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/jsqr.mjs")
	node.Stdin = bytes.NewReader(input)
	var failure strings.Builder
	node.Stderr = &failure
	output, err := node.Output()
	if err != nil {
		t.Fatalf("node with jsqr and pngjs is needed (npm ci): %v\n%s", err, failure.String())
	}
	var texts []string
	if err := json.Unmarshal(output, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

func decode(t *testing.T, file []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

var run = regexp.MustCompile(`^m(-?\d+) (\d+)h(\d+)v1h-(\d+)z`)

// rasterized draws the path of SVG as a browser would, 3 pixels a module on white.
func rasterized(text string) ([]byte, error) {
	symbol, err := qr.SVG(text)
	if err != nil {
		return nil, err
	}
	const scale, quiet = 3, 4
	side := (symbol.Modules + 2*quiet) * scale
	picture := image.NewGray(image.Rect(0, 0, side, side))
	for i := range picture.Pix {
		picture.Pix[i] = 0xFF
	}
	x, y := quiet, quiet
	for path := symbol.Path; path != ""; {
		match := run.FindStringSubmatch(path)
		if match == nil || match[3] != match[4] {
			return nil, fmt.Errorf("not a bar: %.30s", path)
		}
		dx, _ := strconv.Atoi(match[1])
		dy, _ := strconv.Atoi(match[2])
		length, _ := strconv.Atoi(match[3])
		x, y = x+dx, y+dy
		if x < quiet || y < quiet || x+length > quiet+symbol.Modules || y >= quiet+symbol.Modules {
			return nil, fmt.Errorf("a bar at %d,%d of %d is outside", x, y, length)
		}
		for py := y * scale; py < (y+1)*scale; py++ {
			for px := x * scale; px < (x+length)*scale; px++ {
				picture.SetGray(px, py, color.Gray{})
			}
		}
		path = path[len(match[0]):]
	}
	var file bytes.Buffer
	err = png.Encode(&file, picture)
	return file.Bytes(), err
}
