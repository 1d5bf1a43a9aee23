package web_test

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg" // what pictures are served as
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
)

// vaseForm is the form of a product, without its file.
var vaseForm = []string{"name", "Vaso Lua Nova", "amount", "1.249,90", "paymentCycle", "ONE_TIME", "active", "on"}

// imageURL is what the API says of a link's product.
func (s *sale) imageURL(t *testing.T) *string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/payment-links/"+s.link, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.Key(t, s.scope, models.Permissions...))
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
	s := newSite(t).sale(t, nil)
	c, buyer := s.member(t), s.client(t)
	if s.imageURL(t) != nil || buyer.get(s.path()).Find("main img, meta[property^='og:image']").Length() != 0 {
		t.Fatal("a picture before there is one")
	}
	var before string
	for _, size := range []image.Point{{480, 270}, {240, 320}} {
		if a := c.upload("/app/produtos/vaso", "picture", photo(t, size.X, size.Y), vaseForm...); a.status != http.StatusSeeOther {
			t.Fatalf("%d %q", a.status, a.Find("#errors").Text())
		}
		a := buyer.get(s.path())
		shown := a.Find("main img")
		small, fit := shown.AttrOr("src", ""), map[bool]string{true: "object-cover", false: "object-contain"}[size.X > size.Y]
		if shown.Length() != 1 || shown.AttrOr("alt", "") != "Foto de Vaso Lua Nova" || shown.AttrOr("width", "") != "448" || shown.AttrOr("height", "") != "252" ||
			!shown.HasClass(fit) || a.Find("main svg.size-7").Length() != 0 {
			t.Errorf("the link's page shows %v", shown.Nodes)
		}
		large := a.Find("meta[property='og:image']").AttrOr("content", "")
		if address := s.imageURL(t); address == nil || *address != large || !strings.HasPrefix(large, "http://localhost/fotos/") || large == before {
			t.Errorf("the API says %v, the preview %q", address, large)
		}
		for path, most := range map[string]int{small: 12 << 10, strings.TrimPrefix(large, "http://localhost"): 96 << 10} {
			file := buyer.get(path)
			drawn, format, err := image.Decode(strings.NewReader(file.body))
			if err != nil || format != "jpeg" || len(file.body) > most || (drawn.Bounds().Dx() > drawn.Bounds().Dy()) != (size.X > size.Y) {
				t.Fatalf("%s: %s of %d bytes, %v", path, format, len(file.body), err)
			}
			for header, want := range map[string]string{
				"Content-Type": "image/jpeg", "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'",
			} {
				if got := file.header.Get(header); file.status != http.StatusOK || got != want {
					t.Errorf("%s: %d %s is %q", path, file.status, header, got)
				}
			}
			if most > 12<<10 && a.Find("meta[property='og:image:width']").AttrOr("content", "") != strconv.Itoa(drawn.Bounds().Dx()) {
				t.Error("the preview tells another width")
			}
		}
		for path, n := range map[string]int{"/app/produtos": 1, "/app/produtos/vaso": 1, "/app/links": 1} {
			if a := c.get(path); a.Find("main img[src='"+small+"']").Length() != n {
				t.Errorf("%s shows no picture", path)
			}
		}
		if before != "" && buyer.get(before).status != http.StatusNotFound {
			t.Errorf("%s is still there", before)
		}
		before = strings.TrimPrefix(large, "http://localhost")
	}
	s.keepsPicture(t, c, buyer, before)
}

// keepsPicture expects the picture at a path to outlive forms about other things, and
// wrong ones, until it is removed.
func (s *sale) keepsPicture(t *testing.T, c, buyer *client, before string) {
	t.Helper()
	// What is typed beside it changes nothing about the picture; a form that is wrong
	// keeps it, and asks for the new one again.
	if a := c.post("/app/produtos/vaso", vaseForm...); a.status != http.StatusSeeOther || buyer.get(before).status != http.StatusOK {
		t.Errorf("another change took the picture away: %d", a.status)
	}
	a := c.upload("/app/produtos/vaso", "picture", photo(t, 160, 90), "name", "", "amount", "10", "paymentCycle", "ONE_TIME", "removePicture", "on")
	if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#picture-error").Text(), "Escolha a imagem de novo") || a.Find("#errors li").Length() != 2 ||
		a.Find("#removePicture[checked]").Length() != 1 || a.Find("#amount").AttrOr("value", "") != "10" || a.Find("main img").Length() != 1 || buyer.get(before).status != http.StatusOK {
		t.Errorf("a wrong form: %d %q", a.status, a.Find("#errors").Text())
	}
	for _, path := range []string{"/fotos/", "/fotos/x.jpg", "/fotos/" + strings.Repeat("0", 32) + ".jpg", strings.ToUpper(before[7:]), strings.Replace(before, ".jpg", ".png", 1), strings.Replace(before, ".jpg", "-p.jpg", 1)} {
		if a := buyer.get("/" + strings.TrimPrefix(path, "/")); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := c.post("/app/produtos/vaso", append([]string{"removePicture", "on"}, vaseForm...)...); a.status != http.StatusSeeOther || s.imageURL(t) != nil ||
		buyer.get(before).status != http.StatusNotFound || buyer.get(s.path()).Find("main svg.size-7").Length() != 1 {
		t.Errorf("the picture was removed: %d", a.status)
	}
	changes := slices.DeleteFunc(s.changes(t, "product"), func(c string) bool { return !strings.HasPrefix(c, "product.updated picture: ") })
	if len(changes) != 3 || !strings.HasSuffix(changes[2], "picture: "+strings.TrimSuffix(before[7:], ".jpg")+" > ") {
		t.Errorf("the audit log says %q", changes)
	}
}

// A new product has its picture from the start.
func TestPictures_NewProduct(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	a := c.upload("/app/produtos", "picture", photo(t, 160, 90), "name", "Vaso", "amount", "", "paymentCycle", "ONE_TIME")
	if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#picture-error").Text(), "Escolha a imagem de novo") || a.Find("#name").AttrOr("value", "") != "Vaso" {
		t.Errorf("wrong: %d %q", a.status, a.Find("#errors").Text())
	}
	if a := c.upload("/app/produtos", "picture", photo(t, 160, 90), vaseForm...); a.status != http.StatusSeeOther || c.get(a.header.Get("Location")).Find("main img[src^='/fotos/']").Length() != 1 {
		t.Errorf("made: %d %q", a.status, a.Find("#errors").Text())
	}
	s.GiveRole(t, models.RoleViewer)
	if a := c.get("/app/produtos/vaso-lua-nova"); a.Find("main img[src^='/fotos/']").Length() != 1 || a.Find("main form").Length() != 0 {
		t.Error("who may only look sees no picture, or a form")
	}
}

// Files that are no pictures of ours are refused and change nothing, and no form takes
// more than it must.
func TestPictures_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	c := s.member(t)
	whole := photo(t, 160, 90)
	for path, field := range map[string]string{"/app/produtos/novo": "#picture", "/app/produtos/vaso": "#picture", checkoutPage: "#logo"} {
		if got := c.get(path).Find(field).AttrOr("data-most", ""); got != strconv.Itoa(merchants.MaxPictureFile) {
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
		"a dot":      {noisyLogo(t, 3, 3), "pelo menos 16"},
	} {
		a := c.upload("/app/produtos/vaso", "picture", tc.file, vaseForm...)
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#picture-error").Text(), tc.says) || a.Find("#errors li").Length() != 1 {
			t.Errorf("%s: %d %q", name, a.status, a.Find("#errors").Text())
		}
	}
	if s.imageURL(t) != nil {
		t.Error("a refused file is shown")
	}
	for line, most := range map[string]int{
		"POST /app/produtos": 8 << 20, "POST /app/produtos/vaso": 8 << 20, "POST /app/produtos/vaso/x": 1 << 20, "POST /app/produtosx": 1 << 20, "PUT /app/produtos/vaso": 1 << 20,
	} {
		refused, _ := exchange(t, s.site, line+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: "+strconv.Itoa(most+1)+"\r\n\r\n", 1)
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
	s := newSite(t).sale(t, nil)
	c, buyer := s.member(t), s.client(t)
	for _, ends := range []func() answer{
		func() answer { return c.upload("/app/produtos/vaso", "picture", photo(t, 160, 90), vaseForm...) },
		func() answer {
			return c.post("/app/produtos/vaso", append([]string{"removePicture", "on"}, vaseForm...)...)
		},
	} {
		s.update(t, func(p *merchants.ProductForm) { p.RemovePicture = true })
		if err := s.DB.Exec("UPDATE products SET image_url = ?", elsewhere).Error; err != nil {
			t.Fatal(err)
		}
		if a := c.post("/app/produtos/vaso", vaseForm...); a.status != http.StatusSeeOther {
			t.Fatal(a.status)
		}
		a := buyer.get(s.path())
		if got := s.imageURL(t); got == nil || *got != elsewhere || a.Find("meta[property='og:image']").AttrOr("content", "") != elsewhere || a.Find("main img").Length() != 0 {
			t.Errorf("the API says %v, the page has %d pictures", got, a.Find("main img").Length())
		}
		if a := c.get("/app/produtos/vaso"); !strings.Contains(a.Find("main").Text(), elsewhere) || a.Find("main img").Length() != 0 {
			t.Error("the form does not tell of it, or loads it")
		}
		if a := ends(); a.status != http.StatusSeeOther {
			t.Fatal(a.status)
		}
		if got := s.imageURL(t); got != nil && !strings.HasPrefix(*got, "http://localhost/fotos/") || strings.Contains(c.get("/app/produtos/vaso").body, elsewhere) {
			t.Errorf("it is still there: %v", got)
		}
	}
}
