package page

import (
	"garoupa/internal/taxid"
	"garoupa/models"
	"garoupa/views/pages"
)

// AccessAnswers returns the answers of a request for production access as pages show them.
func (s *Site) AccessAnswers(r *models.AccessRequest) (pages.AccessAnswers, error) {
	phone, err := s.Merchants.ContactPhone(r)
	return pages.AccessAnswers{
		LegalName: r.LegalName, Document: taxid.Format(r.Document), Website: Text(r.Website), Sells: Text(r.Sells),
		MonthlyVolume: r.MonthlyVolume,
		ContactName:   r.ContactName, ContactEmail: r.ContactEmail, ContactPhone: phone,
	}, err
}
