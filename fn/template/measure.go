package template

import "reflect"

// measured is how much there is in a value.
type measured struct {
	size, depth int
	// odd is set where there are strings with a type of our own in it.
	odd bool
}

// measure walks a value, which may hold itself: `set` can do that.
func (r *run) measure(v any) (measured, error) {
	m := measured{size: 1}
	switch v := v.(type) {
	case nil, bool, int, int64, uint64, float64:
	case string:
		m.size = len(v) + 1
	case literal:
		m.size, m.odd = len(v)+1, true
	case *layout:
		m.size, m.odd = len(v.text)+1, true
	case []any:
		return r.measureAll(m, len(v), func(yield func(any) bool) {
			for _, item := range v {
				if !yield(item) {
					return
				}
			}
		})
	case map[string]any:
		return r.measureAll(m, len(v), func(yield func(any) bool) {
			for key, item := range v {
				if !yield(key) || !yield(item) {
					return
				}
			}
		})
	default:
		return r.measureOther(m, reflect.ValueOf(v))
	}
	return m, r.charge(stepCost/4 + m.size)
}

func (r *run) measureAll(m measured, entries int, values func(func(any) bool)) (measured, error) {
	if err := r.charge(stepCost + entries); err != nil {
		return m, err
	}
	if r.nested++; r.nested > maxNesting {
		return m, r.stop("a value nests more than %d deep", maxNesting)
	}
	defer func() { r.nested-- }()
	var failed error
	values(func(v any) bool {
		inner, err := r.measure(v)
		m.size, m.depth, m.odd = m.size+inner.size, max(m.depth, inner.depth+1), m.odd || inner.odd
		failed = err
		return err == nil
	})
	return m, failed
}

// measureOther is for the lists and maps that functions return: `[]string` and so
// on.
func (r *run) measureOther(m measured, v reflect.Value) (measured, error) {
	switch v.Kind() {
	case reflect.Slice:
		return r.measureAll(m, v.Len(), func(yield func(any) bool) {
			for i := range v.Len() {
				if !yield(v.Index(i).Interface()) {
					return
				}
			}
		})
	case reflect.Map:
		return r.measureAll(m, v.Len(), func(yield func(any) bool) {
			for key, value := range v.Seq2() {
				if !yield(key.Interface()) || !yield(value.Interface()) {
					return
				}
			}
		})
	default:
		return m, r.charge(1)
	}
}

// plain is a value without what we know about it: a string is a string.
func plain(v any) any {
	switch v := v.(type) {
	case literal:
		return string(v)
	case *layout:
		return v.String()
	}
	return v
}

// plainAll is plain for all that is in a value.
func plainAll(v any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = plainAll(v[i])
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for key := range v {
			all[key] = plainAll(v[key])
		}
		return all
	case [][]any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = plainAll(v[i])
		}
		return all
	}
	return plain(v)
}
