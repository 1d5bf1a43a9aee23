package webtest

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"garoupa/merchants"
)

// NoisyLogo is a picture that compresses badly, so that it is as long as any.
func NoisyLogo(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			m.Set(x, y, color.NRGBA{uint8(x * 7 * y), uint8(x*x + y), uint8(x ^ y*y), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// SetBrand gives the merchant a look of its own.
func (s *Site) SetBrand(t *testing.T, look merchants.BrandLook, logo []byte) {
	t.Helper()
	if err := s.Merchants.SetBrandLook(t.Context(), s.Owner, look); err != nil {
		t.Fatal(err)
	}
	if logo == nil {
		return
	}
	if err := s.Merchants.SetLogo(t.Context(), s.Owner, logo); err != nil {
		t.Fatal(err)
	}
}

// Photo is a JPEG of a vase on a table before a wall, with light from the left, soft
// shadows and grain, as a phone would take it.
func Photo(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	grain := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			// The vase stands in the middle, two thirds as high as the picture.
			u, v := (float64(x)-float64(width)/2)/float64(height), float64(y)/float64(height)
			r, g, b := still(u, v)
			noise := 5 * (grain.Float64() - 0.5)
			m.SetRGBA(x, y, color.RGBA{level(r + noise), level(g + noise), level(b + noise), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func level(v float64) uint8 { return uint8(max(0, min(255, v))) }

// still is the color at u, from the middle to the right, and v, from the top down, both
// in heights of the picture.
func still(u, v float64) (r, g, b float64) {
	const horizon, top, foot = 0.68, 0.17, 0.84
	light := 1.05 - 0.28*(u+0.9)/1.8
	r, g, b = 236*light, 224*light, 208*light // the wall
	if v > horizon {
		wood := 1 + 0.06*math.Sin(90*v+6*math.Sin(3*u)) + 0.03*math.Sin(31*u+40*v)
		r, g, b = 176*light*wood, 128*light*wood, 88*light*wood
	}
	shadow := math.Exp(-math.Pow((u-0.2)/0.26, 2) - math.Pow((v-foot)/0.045, 2))
	r, g, b = r*(1-0.6*shadow), g*(1-0.6*shadow), b*(1-0.55*shadow)
	if v < top || v > foot {
		return r, g, b
	}
	h := (v - top) / (foot - top) // down the vase: lip, neck, belly, foot
	half := 0.075 + 0.155*math.Pow(math.Sin(math.Pi*math.Pow(h, 1.25)), 1.6) + 0.045*math.Exp(-30*h)
	if math.Abs(u) > half {
		return r, g, b
	}
	side := u / half
	depth := math.Sqrt(1 - side*side)
	shade := 0.30 + 0.75*max(0, -0.62*side+0.62*depth)
	glaze := 0.5 + 0.5*math.Tanh(14*(h-0.46-0.05*math.Sin(9*side)-0.03*math.Sin(23*side)))
	shine := 235 * math.Exp(-math.Pow((side+0.42)/0.10, 2)-math.Pow((h-0.5)/0.16, 2))
	mix := func(blue, clay float64) float64 { return (blue*(1-glaze)+clay*glaze)*shade + shine }
	return mix(38, 214), mix(92, 186), mix(178, 158)
}
