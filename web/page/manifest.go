package page

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gofiber/fiber/v2"

	"garoupa/static"
	"garoupa/views/layouts"
)

// appManifest describes the dashboard to a phone that keeps it like an app (W3C Web Application Manifest).
type appManifest struct {
	Name       string    `json:"name"`
	Language   string    `json:"lang"`
	ID         string    `json:"id"`
	Start      string    `json:"start_url"`
	Scope      string    `json:"scope"`
	Display    string    `json:"display"`
	Background string    `json:"background_color"`
	Theme      string    `json:"theme_color"`
	Icons      []appIcon `json:"icons"`
}

type appIcon struct {
	Source string `json:"src"`
	Type   string `json:"type"`
	Sizes  string `json:"sizes"`
}

// manifestBody is the same for everyone: a browser asks for it without cookies. Entering and leaving the dashboard
// belong to the app, so its scope is the whole address.
var manifestBody = sync.OnceValues(func() ([]byte, error) {
	return json.Marshal(appManifest{
		Name: layouts.Brand, Language: "pt-BR", ID: "/app", Start: "/app", Scope: "/", Display: "standalone",
		Background: layouts.CanvasLight, Theme: layouts.CanvasLight,
		Icons: []appIcon{
			{static.URL("favicon.svg"), "image/svg+xml", "any"}, {static.URL("icon-180.png"), "image/png", "180x180"},
			{static.URL("icon-512.png"), "image/png", "512x512"},
		},
	})
})

// manifest serves GET /garoupa.webmanifest, which the dashboard's pages name. The address does not change with the
// content, so browsers keep it for a day.
func manifest(c *fiber.Ctx) error {
	body, err := manifestBody()
	if err != nil {
		return fmt.Errorf("page: write the manifest: %w", err)
	}
	c.Set(fiber.HeaderContentType, "application/manifest+json")
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
	return c.Send(body)
}
