package page

// Text returns the text that s points to, or "" if s is nil.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// FormatDocument writes a CPF or CNPJ with its punctuation.
func FormatDocument(d *string) string {
	switch {
	case d == nil:
		return ""
	case len(*d) == 11:
		return (*d)[:3] + "." + (*d)[3:6] + "." + (*d)[6:9] + "-" + (*d)[9:]
	case len(*d) == 14:
		return (*d)[:2] + "." + (*d)[2:5] + "." + (*d)[5:8] + "/" + (*d)[8:12] + "-" + (*d)[12:]
	}
	return *d
}
