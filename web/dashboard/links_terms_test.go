package dashboard_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/views/i18n"
	"garoupa/web/webtest"
)

// A member chooses how a link sells, and changes it later. A form that leaves the stock as it was shown does not
// bring back what was sold meanwhile.
func TestLinks_Terms(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	ends := i18n.FieldMoment(s.Now().Add(48 * time.Hour))
	form := []string{"key", "k", "productId", "vaso", "expiresInSeconds", "3600", "buyerData", "REQUIRED",
		"maxQuantity", "3", "stock", "5", "endsAt", ends}
	place := c.Post("/app/links", form...).Header.Get("Location")
	id := strings.TrimPrefix(place, "/app/links/")
	read := func() *models.PaymentLink {
		t.Helper()
		link, err := s.PaymentLink(t.Context(), s.Test, id)
		if err != nil {
			t.Fatalf("%q: %v", place, err)
		}
		return link
	}
	link := read()
	if link.BuyerData != models.BuyerDataRequired || link.MaxQuantity != 3 || *link.Left() != 5 ||
		i18n.FieldMoment(*link.EndsAt) != ends {
		t.Errorf("made %+v", link)
	}
	if a := c.Get("/app/links"); !strings.Contains(a.Text(), "restam 5 unidades") ||
		!strings.Contains(a.Text(), "até ") {
		t.Error("the list does not say what is left, and when the link ends")
	}
	edit := c.Get(place + "/editar")
	for field, want := range map[string]string{"stock": "5", "stockWas": "5", "maxQuantity": "3", "endsAt": ends} {
		if got := edit.Find("input[name="+field+"]").AttrOr("value", ""); got != want {
			t.Errorf("%s is shown as %q", field, got)
		}
	}
	name, email := "Carla", "carla@example.com"
	if _, err := s.UsePaymentLink(t.Context(), id, payments.LinkChoice{Quantity: 2,
		Buyer: payments.Customer{Name: &name, Email: &email}}); err != nil {
		t.Fatal(err)
	}
	changed := []string{"expiresInSeconds", "900", "buyerData", "OFF", "open", "on", "openMin", "1,00", "openMax",
		"50", "stock", "5", "stockWas", "5", "endsAt", ""}
	if a := c.Post(place, changed...); a.Header.Get("Location") != place {
		t.Errorf("the change: %d %q", a.Status, a.Find("#errors").Text())
	}
	if link = read(); *link.Left() != 3 || link.OpenAmount == nil ||
		*link.OpenAmount != (models.Range{Min: 1_00, Max: 50_00}) ||
		link.EndsAt != nil || link.ExpiresInSeconds != 900 || link.MaxQuantity != 1 {
		t.Errorf("changed to %+v, %v left", link, *link.Left())
	}
	changed[11], changed[9] = "0", "60" // stock, openMax
	if a := c.Post(place, changed...); a.Status != http.StatusSeeOther {
		t.Errorf("sold out by hand: %d", a.Status)
	}
	if a := c.Get("/app/links"); !strings.Contains(a.Text(), "Esgotado") {
		t.Error("the list does not say that the link is sold out")
	}
}

// A form says which term is wrong, and changes nothing.
func TestLinks_TermsWrong(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c, place := s.Member(t), "/app/links/"+s.Link
	for field, wrong := range map[string][]string{
		"buyerData":        {"buyerData", "SOME"},
		"maxQuantity":      {"maxQuantity", "101"},
		"openMin":          {"open", "on", "openMin", "5", "openMax", "4"},
		"stock":            {"stock", "100001"},
		"endsAt":           {"endsAt", "2020-01-01T10:00"},
		"expiresInSeconds": {"expiresInSeconds", "901"},
		"returnUrl":        {"returnUrl", "x"},
	} {
		a := c.Post(place, append(wrong, "expiresInSeconds", "900")...)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#errors li").Length() != 1 ||
			a.Find("#errors a[href='#"+field+"']").Length() != 1 {
			t.Errorf("%s: %d %q", field, a.Status, a.Find("#errors").Text())
		}
	}
	if a := c.Get("/app/links/plink_0000000000000000/editar"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown link: %d", a.Status)
	}
}

// A new link whose amounts the account may not charge is refused at the field that says so, and loses nothing. A link
// for the counter takes the account's bounds.
func TestLinks_OutOfBounds(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	least, most := money.Cents(1_00), money.Cents(2_00)
	s.SetLimits(t, models.Limits{MinAmount: &least, MaxAmount: &most})
	for field, typed := range map[string][]string{
		"productId": {},
		"openMin":   {"open", "on", "openMin", "5", "openMax", "40"},
	} {
		a := c.Post("/app/links", append(typed, "key", rand.Text(), "productId", s.Product.Slug,
			"expiresInSeconds", "900", "returnUrl", "https://loja.example/")...)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#errors a[href='#"+field+"']").Length() != 1 ||
			!strings.Contains(a.Find("#errors").Text(), "de R$\u00a01,00 a R$\u00a02,00") ||
			a.Find("#returnUrl").AttrOr("value", "") != "https://loja.example/" {
			t.Errorf("%s: %d %q", field, a.Status, a.Find("#errors").Text())
		}
	}
	if a := c.Post("/app/links/balcao", "key", rand.Text()); a.Status != http.StatusSeeOther {
		t.Errorf("for the counter: %d %s", a.Status, a.Text())
	}
	if !modelstest.One[bool](t, s.DB, `SELECT EXISTS (SELECT FROM payment_links
			WHERE min_amount = $1 AND max_amount = $2)`, least, most) {
		t.Error("the link for the counter has other bounds")
	}
}

// One click makes a link for the counter, with a product for it; the next one sells the same product. The poster of a
// link shows its code on either paper.
func TestLinks_Counter(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	made := map[string]bool{}
	for range 2 {
		key := c.Get("/app/links").Find("form[action='/app/links/balcao'] input[name=key]").AttrOr("value", "")
		for range 2 {
			made[c.Post("/app/links/balcao", "key", key).Header.Get("Location")] = true
		}
	}
	if len(made) != 2 {
		t.Errorf("two forms made %v", made)
	}
	for place := range made {
		link, err := s.PaymentLink(t.Context(), s.Test, strings.TrimPrefix(place, "/app/links/"))
		if err != nil || link.OpenAmount == nil || link.BuyerData != models.BuyerDataOff ||
			link.Product.Slug != "balcao" {
			t.Errorf("made %+v, %v", link, err)
		}
		for size, other := range map[string]string{"a5": "a6", "a6": "a5"} {
			a := c.Get(place + "/cartaz?size=" + size)
			if a.Status != http.StatusOK || a.Find(".poster-"+size+" svg[role=img]").Length() != 1 ||
				a.Find(".poster-"+other).Length() != 0 ||
				!strings.Contains(a.Find(".poster").Text(), "Quanto quiser") ||
				a.Find(".poster ol li").Length() != 3 || !strings.Contains(a.Find(".poster").Text(), link.ID) {
				t.Errorf("%s: %d %q", size, a.Status, a.Find(".poster").Text())
			}
		}
	}
}

// Forms for the counter that are sent at the same moment, the same one and others, share one product, as does a form
// whose key another form had. If the product is off, one other is made, however often the button is pressed.
func TestLinks_CounterAgain(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	products := func(want int) {
		t.Helper()
		if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM products WHERE slug LIKE 'balcao%'"); n != want {
			t.Errorf("%d products for the counter, want %d", n, want)
		}
	}
	links := func(keys ...string) map[string]bool {
		t.Helper()
		done := make([]webtest.Answer, len(keys))
		var group sync.WaitGroup
		for i, key := range keys {
			group.Go(func() { done[i] = c.Post("/app/links/balcao", "key", key) })
		}
		group.Wait()
		made := map[string]bool{}
		for i, a := range done {
			if made[a.Header.Get("Location")] = true; a.Status != http.StatusSeeOther {
				t.Errorf("%s: %d", keys[i], a.Status)
			}
		}
		return made
	}
	if made := links("one", "one", "one", "two", "two", "three"); len(made) != 3 {
		t.Errorf("three forms made %v", made)
	}
	products(1)
	if a := c.Post("/app/produtos", "key", "four", "name", "Vaso", "amount", "10,00", "paymentCycle", "ONE_TIME",
		"slug", "vaso"); a.Status != http.StatusSeeOther {
		t.Fatalf("a product: %d %s", a.Status, a.Find("[role=alert]").Text())
	}
	modelstest.Exec(t, s.DB, "UPDATE products SET active = false WHERE slug = 'balcao'")
	for _, key := range []string{"four", "five", "one", "four"} {
		links(key)
		products(2)
	}
	for n := range 60 { // as many as were turned off one after the other
		modelstest.Exec(t, s.DB, `INSERT INTO products SELECT (jsonb_populate_record(p, jsonb_build_object('id',
			$1::text, 'slug', 'balcao-' || $2::int))).* FROM products p WHERE slug = 'balcao'`,
			models.NewProductID(), n+3)
	}
	modelstest.Exec(t, s.DB, "UPDATE products SET active = false")
	if made := links("six"); len(made) != 1 || made["/app/links"] {
		t.Errorf("beside many that are off, it made %v", made)
	}
}

// A member archives a product and brings it back.
func TestProducts_Archive(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	listed := func(path string) bool {
		return c.Get(path).Find("main a[href='/app/produtos/vaso']").Length() > 0
	}
	if a := c.Post("/app/produtos/vaso/arquivar"); a.Header.Get("Location") != "/app/produtos/vaso" {
		t.Fatalf("archived: %d", a.Status)
	}
	a := c.Get("/app/produtos/vaso")
	if listed("/app/produtos") || !listed("/app/produtos?archived=1") || a.Find("input[name=amount]").Length() != 0 ||
		c.Get("/app/links/novo").Find("option[value=vaso]").Length() != 0 ||
		c.Get(s.Path()).Status != http.StatusNotFound {
		t.Error("an archived product is listed, can be changed or chosen, or sells")
	}
	form := merchants.ProductForm{Name: "x", Amount: 1, PaymentCycle: "ONE_TIME"}
	if a := c.Post("/app/produtos/vaso", "name", form.Name, "amount", "1,00", "paymentCycle", form.PaymentCycle,
		"active", "on"); a.Header.Get("Location") != "/app/produtos/vaso" {
		t.Errorf("an old form of it: %d", a.Status)
	}
	if a := c.Post("/app/produtos/vaso/restaurar"); a.Status != http.StatusSeeOther || !listed("/app/produtos") {
		t.Errorf("restored: %d", a.Status)
	}
	if a := c.Get("/app/produtos/vaso"); a.Find("input[name=name]").AttrOr("value", "") != "Vaso Lua Nova" ||
		a.Find("#active[checked]").Length() != 0 {
		t.Error("the product came back changed, or for sale")
	}
}
