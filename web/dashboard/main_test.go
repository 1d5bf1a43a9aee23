package dashboard_test

import (
	"testing"

	"garoupa/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }
