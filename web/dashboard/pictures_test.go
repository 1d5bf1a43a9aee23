package dashboard_test

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// vaseForm is the form of a product, without its file.
var vaseForm = []string{"name", "Vaso Lua Nova", "amount", "1.249,90", "paymentCycle", "ONE_TIME", "active", "on"}

// imageURL is what the API says of a link's product.
func imageURL(t *testing.T, s *webtest.Sale) *string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/payment-links/"+s.Link, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.Key(t, s.Scope, models.Permissions...))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var link struct{ ImageURL *string }
	if err := json.Unmarshal(body, &link); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return link.ImageURL
}

// A picture that a member uploads is what buyers, messengers and the API see, from our
// own host; one that takes its place has another address, and the one before is gone.
func TestPictures(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c, buyer := s.Member(t), s.Client(t)
	if imageURL(t, s) != nil || buyer.Get(s.Path()).Find("main img, meta[property^='og:image']").Length() != 0 {
		t.Fatal("a picture before there is one")
	}
	var before string
	for _, size := range []image.Point{{480, 270}, {240, 320}} {
		if a := upload(c, "/app/produtos/vaso", "picture", webtest.Photo(t, size.X, size.Y),
			vaseForm...); a.Status != http.StatusSeeOther {
			t.Fatalf("%d %q", a.Status, a.Find("#errors").Text())
		}
		a := buyer.Get(s.Path())
		shown := a.Find("main img")
		small, fit := shown.AttrOr("src", ""), map[bool]string{true: "object-cover",
			false: "object-contain"}[size.X > size.Y]
		if shown.Length() != 1 || shown.AttrOr("alt", "") != "Foto de Vaso Lua Nova" ||
			shown.AttrOr("width", "") != "448" || shown.AttrOr("height", "") != "252" ||
			!shown.HasClass(fit) || a.Find("main svg.size-7").Length() != 0 {
			t.Errorf("the link's page shows %v", shown.Nodes)
		}
		large := a.Find("meta[property='og:image']").AttrOr("content", "")
		if address := imageURL(t, s); address == nil || *address != large ||
			!strings.HasPrefix(large, "http://localhost/fotos/") || large == before {
			t.Errorf("the API says %v, the preview %q", address, large)
		}
		for path, most := range map[string]int{small: 12 << 10,
			strings.TrimPrefix(large, "http://localhost"): 96 << 10} {
			file := buyer.Get(path)
			drawn, format, err := image.Decode(strings.NewReader(file.Body))
			if err != nil || format != "jpeg" || len(file.Body) > most ||
				(drawn.Bounds().Dx() > drawn.Bounds().Dy()) != (size.X > size.Y) {
				t.Fatalf("%s: %s of %d bytes, %v", path, format, len(file.Body), err)
			}
			for header, want := range map[string]string{
				"Content-Type": "image/jpeg", "Cache-Control": "public, max-age=31536000, immutable",
				"X-Content-Type-Options":  "nosniff",
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			} {
				if got := file.Header.Get(header); file.Status != http.StatusOK || got != want {
					t.Errorf("%s: %d %s is %q", path, file.Status, header, got)
				}
			}
			if most > 12<<10 && a.Find("meta[property='og:image:width']").AttrOr("content",
				"") != strconv.Itoa(drawn.Bounds().Dx()) {
				t.Error("the preview tells another width")
			}
		}
		for path, n := range map[string]int{"/app/produtos": 1, "/app/produtos/vaso": 1, "/app/links": 1} {
			if a := c.Get(path); a.Find("main img[src='"+small+"']").Length() != n {
				t.Errorf("%s shows no picture", path)
			}
		}
		if before != "" && buyer.Get(before).Status != http.StatusNotFound {
			t.Errorf("%s is still there", before)
		}
		before = strings.TrimPrefix(large, "http://localhost")
	}
	keepsPicture(t, s, c, buyer, before)
}

// keepsPicture expects the picture at a path to outlive forms about other things, and
// wrong ones, until it is removed.
func keepsPicture(t *testing.T, s *webtest.Sale, c, buyer *webtest.Client, before string) {
	t.Helper()
	// What is typed beside it changes nothing about the picture; a form that is wrong
	// keeps it, and asks for the new one again.
	if a := c.Post("/app/produtos/vaso", vaseForm...); a.Status != http.StatusSeeOther ||
		buyer.Get(before).Status != http.StatusOK {
		t.Errorf("another change took the picture away: %d", a.Status)
	}
	a := upload(c, "/app/produtos/vaso", "picture", webtest.Photo(t, 160, 90), "name", "", "amount", "10",
		"paymentCycle",
		"ONE_TIME", "removePicture", "on")
	if a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#picture-error").Text(), "Escolha a imagem de novo") ||
		a.Find("#errors li").Length() != 2 ||
		a.Find("#removePicture[checked]").Length() != 1 || a.Find("#amount").AttrOr("value", "") != "10" ||
		a.Find("main img").Length() != 1 || buyer.Get(before).Status != http.StatusOK {
		t.Errorf("a wrong form: %d %q", a.Status, a.Find("#errors").Text())
	}
	for _, path := range []string{"/fotos/", "/fotos/x.jpg", "/fotos/" + strings.Repeat("0", 32) + ".jpg",
		strings.ToUpper(before[7:]), strings.Replace(before, ".jpg", ".png", 1),
		strings.Replace(before, ".jpg", "-p.jpg", 1)} {
		if a := buyer.Get("/" + strings.TrimPrefix(path, "/")); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	if a := c.Post("/app/produtos/vaso", append([]string{"removePicture", "on"},
		vaseForm...)...); a.Status != http.StatusSeeOther || imageURL(t, s) != nil ||
		buyer.Get(before).Status != http.StatusNotFound || buyer.Get(s.Path()).Find("main svg.size-7").Length() != 1 {
		t.Errorf("the picture was removed: %d", a.Status)
	}
	changes := slices.DeleteFunc(changes(t, s.Site, "product"),
		func(c string) bool { return !strings.HasPrefix(c, "product.updated picture: ") })
	if len(changes) != 3 || !strings.HasSuffix(changes[2], "picture: "+strings.TrimSuffix(before[7:], ".jpg")+" > ") {
		t.Errorf("the audit log says %q", changes)
	}
}

// A new product has its picture from the start.
func TestPictures_NewProduct(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	a := upload(c, "/app/produtos", "picture", webtest.Photo(t, 160, 90), "name", "Vaso", "amount", "",
		"paymentCycle", "ONE_TIME")
	if a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#picture-error").Text(), "Escolha a imagem de novo") ||
		a.Find("#name").AttrOr("value", "") != "Vaso" {
		t.Errorf("wrong: %d %q", a.Status, a.Find("#errors").Text())
	}
	if a := upload(c, "/app/produtos", "picture", webtest.Photo(t, 160, 90),
		vaseForm...); a.Status != http.StatusSeeOther ||
		c.Get(a.Header.Get("Location")).Find("main img[src^='/fotos/']").Length() != 1 {
		t.Errorf("made: %d %q", a.Status, a.Find("#errors").Text())
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.Get("/app/produtos/vaso-lua-nova"); a.Find("main img[src^='/fotos/']").Length() != 1 ||
		a.Find("main form").Length() != 0 {
		t.Error("who may only look sees no picture, or a form")
	}
}

// Files that are no pictures of ours are refused and change nothing, and no form takes
// more than it must.
func TestPictures_Refused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	whole := webtest.Photo(t, 160, 90)
	for path, field := range map[string]string{"/app/produtos/novo": "#picture", "/app/produtos/vaso": "#picture",
		webtest.CheckoutPage: "#logo"} {
		if got := c.Get(path).Find(field).AttrOr("data-most", ""); got != strconv.Itoa(merchants.MaxPictureFile) {
			t.Errorf("%s sends up to %q bytes", path, got)
		}
	}
	for name, tc := range map[string]struct {
		file []byte
		says string
	}{
		"an SVG":     {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "Não conseguimos ler"},
		"a GIF":      {[]byte("GIF89a\x10\x00\x10\x00\x00\x00\x00;"), "Não conseguimos ler"},
		"a page":     {append([]byte("<!DOCTYPE html><script>alert(1)</script>"), whole...), "Não conseguimos ler"},
		"broken off": {whole[:len(whole)/2], "Não conseguimos ler"},
		"6 MB":       {append(bytes.Clone(whole), make([]byte, 6<<20)...), "passa de 2\u00a0MB"},
		"a dot":      {webtest.NoisyLogo(t, 3, 3), "pelo menos 16"},
	} {
		a := upload(c, "/app/produtos/vaso", "picture", tc.file, vaseForm...)
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#picture-error").Text(), tc.says) ||
			a.Find("#errors li").Length() != 1 {
			t.Errorf("%s: %d %q", name, a.Status, a.Find("#errors").Text())
		}
	}
	if imageURL(t, s) != nil {
		t.Error("a refused file is shown")
	}
	for line, most := range map[string]int{
		"POST /app/produtos": 8 << 20, "POST /app/produtos/vaso": 8 << 20, "POST /app/produtos/vaso/x": 1 << 20,
		"POST /app/produtosx": 1 << 20, "PUT /app/produtos/vaso": 1 << 20,
	} {
		refused, _ := s.Exchange(t, line+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: "+strconv.Itoa(most+1)+
			"\r\n\r\n", 1)
		if refused[0].StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s with %d bytes: %d", line, most+1, refused[0].StatusCode)
		}
	}
}

// An address elsewhere, typed before pictures were uploaded, is what the API and
// previews have, and never the page, until a picture takes its place or it is removed.
func TestPictures_Elsewhere(t *testing.T) {
	t.Parallel()
	const elsewhere = "https://img.example/vaso.jpg"
	s := webtest.New(t).Sale(t, nil)
	c, buyer := s.Member(t), s.Client(t)
	for _, ends := range []func() webtest.Answer{
		func() webtest.Answer {
			return upload(c, "/app/produtos/vaso", "picture", webtest.Photo(t, 160, 90), vaseForm...)
		},
		func() webtest.Answer {
			return c.Post("/app/produtos/vaso", append([]string{"removePicture", "on"}, vaseForm...)...)
		},
	} {
		s.Update(t, func(p *merchants.ProductForm) { p.RemovePicture = true })
		modelstest.Exec(t, s.DB, "UPDATE products SET image_url = $1", elsewhere)
		if a := c.Post("/app/produtos/vaso", vaseForm...); a.Status != http.StatusSeeOther {
			t.Fatal(a.Status)
		}
		a := buyer.Get(s.Path())
		if got := imageURL(t, s); got == nil || *got != elsewhere ||
			a.Find("meta[property='og:image']").AttrOr("content", "") != elsewhere || a.Find("main img").Length() != 0 {
			t.Errorf("the API says %v, the page has %d pictures", got, a.Find("main img").Length())
		}
		if a := c.Get("/app/produtos/vaso"); !strings.Contains(a.Find("main").Text(), elsewhere) ||
			a.Find("main img").Length() != 0 {
			t.Error("the form does not tell of it, or loads it")
		}
		if a := ends(); a.Status != http.StatusSeeOther {
			t.Fatal(a.Status)
		}
		if got := imageURL(t, s); got != nil && !strings.HasPrefix(*got, "http://localhost/fotos/") ||
			strings.Contains(c.Get("/app/produtos/vaso").Body, elsewhere) {
			t.Errorf("it is still there: %v", got)
		}
	}
}
