package template

import (
	"cmp"
	"fmt"
	"reflect"
)

// comparisons are those of text/template, for strings with types of our own too.
func comparisons() map[string]function {
	order := func(holds func(int) bool) function {
		return shallow(func(a, b any) (bool, error) {
			c, err := compare(a, b)
			return err == nil && holds(c), err
		})
	}
	return map[string]function{
		"eq": shallow(equal),
		"ne": shallow(func(a, b any) (bool, error) {
			same, err := equal(a, b)
			return !same, err
		}),
		"lt": order(func(c int) bool { return c < 0 }),
		"le": order(func(c int) bool { return c <= 0 }),
		"gt": order(func(c int) bool { return c > 0 }),
		"ge": order(func(c int) bool { return c >= 0 }),
	}
}

// equal tells whether the first value is one of the others.
func equal(a any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, fmt.Errorf("`eq` wants two values")
	}
	for _, b := range others {
		same, err := equalTwo(a, b)
		if err != nil || same {
			return same, err
		}
	}
	return false, nil
}

func equalTwo(a, b any) (bool, error) {
	if isNil(a) || isNil(b) {
		return isNil(a) && isNil(b), nil
	}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Kind() == reflect.Bool && y.Kind() == reflect.Bool {
		return x.Bool() == y.Bool(), nil
	}
	c, err := compare(a, b)
	return err == nil && c == 0, err
}

// compare orders two strings, two integers or two floats.
func compare(a, b any) (int, error) {
	if a != nil && b != nil {
		x, y := reflect.ValueOf(a), reflect.ValueOf(b)
		switch {
		case x.Kind() == reflect.String && y.Kind() == reflect.String:
			return cmp.Compare(x.String(), y.String()), nil
		case x.CanInt() && y.CanInt():
			return cmp.Compare(x.Int(), y.Int()), nil
		case x.CanUint() && y.CanUint():
			return cmp.Compare(x.Uint(), y.Uint()), nil
		case x.CanInt() && y.CanUint(): // above all of int64, or it would be one
			return -1, nil
		case x.CanUint() && y.CanInt():
			return 1, nil
		case x.CanFloat() && y.CanFloat():
			return cmp.Compare(x.Float(), y.Float()), nil
		}
	}
	return 0, fmt.Errorf("%s and %s cannot be compared", describe(a), describe(b))
}
