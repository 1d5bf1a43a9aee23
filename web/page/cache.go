package page

import "sync"

// cacheSize bounds how many values a cache keeps.
const cacheSize = 2000

// cache keeps values that are a function of their key. When it is full it drops any of them.
// The zero value is ready to use. It is safe for concurrent use.
type cache[V any] struct {
	mu         sync.Mutex
	FormValues map[string]V
}

// load returns the value of key. If the cache does not have it, load calls make and keeps the
// result.
func (c *cache[V]) load(key string, make func(string) (V, error)) (V, error) {
	c.mu.Lock()
	v, ok := c.FormValues[key]
	c.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make(key)
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.FormValues == nil {
		c.FormValues = map[string]V{}
	}
	if len(c.FormValues) >= cacheSize {
		for k := range c.FormValues {
			delete(c.FormValues, k)
			break
		}
	}
	c.FormValues[key] = v
	return v, nil
}
