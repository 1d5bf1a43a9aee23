package webtest

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// anID matches the ids of objects with a page, and those of Pix.
var anID = regexp.MustCompile(`\b([a-z]{2,5}_[0-9a-f]{16,24}|E[0-9]{8}[0-9A-Za-z]{23})\b`)

// IDsWithoutLink returns the ids in the text of a page that lead nowhere, without those of the page's own path.
func IDsWithoutLink(page Answer, path string) (ids []string) {
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && (n.Data == "a" || n.Data == "h1") {
			return
		}
		if n.Type == html.TextNode {
			for _, id := range anID.FindAllString(n.Data, -1) {
				if !strings.Contains(path, id) {
					ids = append(ids, id)
				}
			}
		}
		for child := range n.ChildNodes() {
			walk(child)
		}
	}
	for _, n := range page.Find("main").Nodes {
		walk(n)
	}
	return ids
}

// IDLinks returns the addresses of the links on a page whose text is an id.
func IDLinks(page Answer) (hrefs []string) {
	links := page.Find("main a[href]")
	for i := range links.Length() {
		if a := links.Eq(i); anID.MatchString(a.Text()) {
			hrefs = append(hrefs, a.AttrOr("href", ""))
		}
	}
	return hrefs
}
