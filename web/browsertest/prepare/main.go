// Command prepare makes sure that the tests have a browser before they run in parallel: it
// finds, unpacks or installs one and prints the path of its executable.
package main

import (
	"context"
	"fmt"
	"os"

	"garoupa/web/browsertest/chromium"
)

func main() {
	browser, err := chromium.Prepare(context.Background(), os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(browser.Path)
}
