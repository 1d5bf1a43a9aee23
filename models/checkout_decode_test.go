package models_test

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"garoupa/models"
	"garoupa/models/modelstest"
)

// Rows that are decoded in place equal those that pgx scans, with all optional values and with
// none.
func TestCheckout_Decoded(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for _, statement := range []string{
		`INSERT INTO accounts (id, name) VALUES ('acc_00000000000000000000', 'A')`,
		`INSERT INTO projects (id, account_id, name)
		VALUES ('prj_00000000000000000000', 'acc_00000000000000000000', 'P')`,
		`INSERT INTO products (id, project_id, livemode, slug, name, amount, created_at, updated_at)
			VALUES ('prod_00000000000000000000', 'prj_00000000000000000000', true, 'p', 'P', 1, now(), now())`,
		`INSERT INTO payment_links (id, project_id, livemode, product_id, expires_in_seconds, created_at, updated_at)
			VALUES ('plink_0000000000000000', 'prj_00000000000000000000', true, 'prod_00000000000000000000', 900,
				now(), now())`,
		`INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id, txid, copy_paste,
			created_at, expires_at)
			VALUES ('chk_00000000000000000000', 'prj_00000000000000000000', false, 1, 'd', 'e',
				'00000000000000000000000000', 'c', '1999-12-31 23:59:59.999Z', '2262-01-01')`,
		`INSERT INTO checkouts VALUES ('chk_00000000000000000001', 'prj_00000000000000000000', true, 'PAID',
			999999999999, 'ção', 'e', 'n', '', 'd',
			'\x01', '{"b": "\n", "a": "é"}', '00000000000000000000000001', 'c', '\x89504e47', now(), now() + '1 hour',
			now(), 'AVAILABLE', 5, 'plink_0000000000000000')`,
	} {
		modelstest.Exec(t, db, statement)
	}
	for i, environment := range []models.Environment{models.Test, models.Live} {
		id := fmt.Sprintf("chk_%020d", i)
		scanned, err := models.PublicCheckoutByID(t.Context(), db.Pool, id)
		if err != nil {
			t.Fatal(err)
		}
		scope := models.Scope{ProjectID: scanned.ProjectID, Environment: environment}
		decoded, err := models.CheckoutByID(t.Context(), db.Pool, scope, id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(&scanned.Checkout, decoded); diff != "" {
			t.Errorf("%s (-scanned +decoded)\n%s", id, diff)
		}
		list, err := models.ListCheckouts(t.Context(), db.Pool, scope, models.CheckoutFilter{Limit: 5})
		if err != nil || len(list) != 1 || !gocmp.Equal(list[0], *decoded) {
			t.Errorf("listed %+v, %v", list, err)
		}
	}
}
