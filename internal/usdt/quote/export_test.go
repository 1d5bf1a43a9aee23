package quote

// ReadPrice reads an answer of the shape, for fuzzing without a server.
func ReadPrice(name string, body []byte) (int64, error) {
	text, _, err := shapes[name](body)
	if err != nil {
		return 0, err
	}
	return parsePrice(text)
}
