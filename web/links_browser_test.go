package web_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A merchant makes a product and a link; a buyer opens the link on a phone, pays,
// and finds the way back to the store; the merchant sees the link used and paid.
func TestSale_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	merchant := logIn(t, s, browsertest.Options{Viewport: browsertest.Desktop})
	toSection(merchant, "/app/produtos")
	merchant.WaitVisible("Cadastre o que você vende")
	merchant.Click("Novo produto")
	merchant.Type("#name", "Vaso Lua Nova")
	merchant.Type("#amount", "1.249,90")
	merchant.Type("#description", "Cerâmica de alta temperatura, esmalte azul cobalto.")
	choosePhoto(t, merchant)
	merchant.Click("Cadastrar produto")
	merchant.WaitText("h1", "Vaso Lua Nova")
	merchant.WaitTrue(`(i => i.complete && i.naturalWidth == 768)(document.querySelector("main img"))`)
	merchant.Click("Criar link")
	merchant.WaitTrue(`document.querySelector("#productId").selectedOptions[0].text.startsWith("Vaso Lua Nova")`)
	merchant.Click("main form details + details summary")
	merchant.Type("#successUrl", "https://loja.example/obrigado?c={CHECKOUT_ID}")
	merchant.Click("main form button.btn-primary")
	merchant.WaitVisible("Link criado. Copie e mande para quem vai pagar.")
	path := regexp.MustCompile(`/l/plink_[0-9a-f]{16}$`).FindString(merchant.Value("#url"))
	merchant.Axe()

	buyer := browsertest.Open(t, s.URL+path, browsertest.Options{NoScript: true})
	buyer.WaitVisible("main img[alt='Foto de Vaso Lua Nova']")
	checkout := buy(t, s, buyer, path)
	if back := buyer.Attr("main a[rel=noreferrer]", "href"); back != "https://loja.example/obrigado?c="+checkout {
		t.Errorf("the way back leads to %s", back)
	}

	merchant.Reload()
	merchant.WaitVisible("Paga")
	merchant.WaitVisible("100,0% das encerradas")
	merchant.Keep("link-used-desktop")
	merchant.Click("Desativar link")
	merchant.WaitVisible("Desativar este link?")
	merchant.Axe()
	merchant.Keep("link-turn-off-desktop")
	merchant.Press("Escape")
	merchant.WaitGone("Desativar este link?")
	merchant.Click("Desativar link")
	merchant.Click("#turn-off .btn-danger")
	merchant.WaitVisible("Link desativado.")
	buyer.AllowConsole("404")
	buyer.Goto(s.URL + path)
	buyer.WaitText("h1", "Este link não está mais ativo")
}

// The price and the button are on the first screen of every phone and desk, with a picture and a long
// description, also for readers of larger text; with text of twice the size money is still in one piece.
func TestLink_FirstScreen(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	sale := s.Sale(t, func(p *merchants.ProductForm) {
		p.Picture = webtest.Photo(t, 640, 360)
		p.Description = strings.Repeat("Cerâmica de alta temperatura, esmalte azul cobalto. ", 8)
	})
	page := browsertest.Open(t, s.URL+sale.Path(), browsertest.Options{NoScript: true})
	page.WaitTrue(`document.querySelector("main img").complete`)
	for _, text := range []int64{100, 150, 200} {
		page.SetTextSize(text)
		for _, screen := range []browsertest.Viewport{{Width: 320, Height: 568, Scale: 2, Mobile: true},
			{Width: 360, Height: 640, Scale: 2, Mobile: true}, {Width: 390, Height: 664, Scale: 2, Mobile: true},
			{Width: 768, Height: 1024, Scale: 1}, {Width: 1280, Height: 800, Scale: 1},
			{Width: 1680, Height: 900, Scale: 1}} {
			page.Resize(screen)
			page.Goto(s.URL + sale.Path())
			page.NoSidewaysScroll()
			seen := browsertest.Eval[[]string](page, `(() => {
				const whole = r => r.width > 0 && r.top >= 0 && r.bottom <= innerHeight;
				const range = document.createRange();
				const lines = e => { range.selectNodeContents(e); return range.getClientRects().length };
				const out = [];
				if (!whole(document.querySelector("main form button").getBoundingClientRect())) out.push("the button");
				const prices = [...document.querySelectorAll("main dd, main form p")]
					.filter(e => e.textContent.includes("1.249,90"));
				if (!prices.some(e => whole(e.getBoundingClientRect()))) out.push("the price");
				if (prices.some(e => lines(e) > 1)) out.push("the price in one piece");
				return out;
			})()`)
			if text == 200 { // the head alone may fill a small screen
				seen = slices.DeleteFunc(seen, func(what string) bool { return !strings.HasSuffix(what, "piece") })
			}
			if len(seen) > 0 {
				t.Errorf("%dx%d at %d%%: not seen: %v", screen.Width, screen.Height, text, seen)
			}
		}
	}
}

// choosePhoto chooses a picture of more than 2 MB, as a phone takes them, and waits until
// it was drawn smaller.
func choosePhoto(t *testing.T, page *browsertest.Page) {
	t.Helper()
	if bytes := browsertest.Eval[int](page, `(() => {
		const width = 1600, height = 900; // as a bitmap, which nothing makes shorter
		const file = new Uint8Array(54 + 3 * width * height).fill(200, 54);
		const head = new DataView(file.buffer), long = (at, v) => head.setUint32(at, v, true);
		head.setUint16(0, 0x424d);
		long(2, file.length); long(10, 54); long(14, 40); long(18, width); long(22, height); long(26, 1 | 24 << 16);
		const kept = new DataTransfer(), field = document.getElementById("picture");
		kept.items.add(new File([file], "vaso.bmp", {type: "image/bmp"}));
		field.files = kept.files;
		field.dispatchEvent(new Event("change", {bubbles: true}));
		return file.length;
	})()`); bytes <= 2<<20 {
		t.Fatalf("%d bytes are not too many", bytes)
	}
	page.WaitTrue(`document.querySelector("[data-file-name=picture]").textContent == "vaso.bmp"`)
	page.WaitTrue(`(f => f.type == "image/jpeg" && f.name == "vaso.jpg" && f.size <= 2 << 20)(
		document.getElementById("picture").files[0])`)
}

// buy pays for what the link sells, after a detour: half a form, and back to the
// link. It returns the id of the checkout.
func buy(t *testing.T, s *webtest.Site, buyer *browsertest.Page, path string) string {
	t.Helper()
	buyer.AllowConsole("422")
	buyer.WaitText("h1", "Vaso Lua Nova")
	buyer.Click("main summary")
	buyer.Type("#name", "Carla Menezes")
	buyer.Type("#email", "carla")
	buyer.Click("main form button")
	buyer.WaitFocused("#errors")
	buyer.WaitVisible("#email-error")
	buyer.Type("#email", "carla@example.com")
	buyer.Click("main form button")
	buyer.WaitText("h1", "Pagar com Pix: R$ 1.249,90")
	first := buyer.URL()
	buyer.Goto(s.URL + path)
	buyer.Click("main form button")
	buyer.WaitText("h1", "Pagar com Pix: R$ 1.249,90")
	if buyer.URL() != first {
		t.Errorf("the link leads to %s, then to %s", first, buyer.URL())
	}
	buyer.Click("Simular pagamento")
	buyer.WaitText("h1", "Pagamento confirmado")
	return strings.TrimPrefix(first, s.URL+"/pay/")
}

// The code runs out in front of the buyer, and one press brings another.
func TestRenew_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	page := browsertest.Open(t, s.URL+s.Path(), browsertest.Options{})
	page.Click("main form button")
	page.WaitVisible("Copiar código Pix")
	first := page.URL()
	s.Clock.Advance(30 * time.Minute)
	if n, err := s.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("expired %d, %v", n, err)
	}
	page.WaitText("h1", "Este código Pix venceu")
	page.Axe()
	page.Click("Gerar novo código")
	page.WaitVisible("Copiar código Pix")
	if page.URL() == first {
		t.Error("the new code is the old one")
	}
}
