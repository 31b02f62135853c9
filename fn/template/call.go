package template

import (
	"fmt"
	"math"
	"reflect"
)

// function is a function of a template.
type function struct {
	fn reflect.Value
	// deep is set where the function looks at everything in its arguments, keep
	// where it hands them on as they are.
	deep, keep bool
	// size is at least what the result has, in bytes and entries; nil where that is
	// no more than a few times what comes in.
	size func(args []any) int
}

// fromOutside is a function that the caller brings.
func fromOutside(fn any) function { return function{fn: reflect.ValueOf(fn)} }

// metered is a function as the interpreter calls it. It checks its arguments
// itself, because strings have types of our own here.
func (r *run) metered(name string, f function) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		if err := r.charge(stepCost + len(args)); err != nil {
			return nil, err
		}
		args, err := r.prepare(f, args)
		if err != nil {
			return nil, err
		}
		in, err := arguments(name, f.fn.Type(), args)
		if err != nil {
			return nil, err
		}
		out := f.fn.Call(in)
		if len(out) == 2 && !out[1].IsNil() {
			return nil, out[1].Interface().(error)
		}
		result := out[0].Interface()
		return result, r.checkSize(result)
	}
}

// prepare measures arguments, and makes plain values of them where the function
// cares.
func (r *run) prepare(f function, args []any) ([]any, error) {
	prepared := make([]any, len(args))
	for i, arg := range args {
		prepared[i] = arg
		if !f.keep {
			prepared[i] = plain(arg)
		}
		if !f.deep {
			if err := r.charge(shallowSize(prepared[i])); err != nil {
				return nil, err
			}
			continue
		}
		m, err := r.measure(arg)
		if err == nil && m.size > maxValue {
			err = r.stop("a value has more than %d bytes", maxValue)
		}
		if err != nil {
			return nil, err
		}
		if m.odd && !f.keep {
			prepared[i] = plainAll(arg)
		}
	}
	if f.size == nil {
		return prepared, nil
	}
	if f.size(prepared) > maxValue {
		return nil, r.stop("the result would be too large: %d bytes are allowed", maxValue)
	}
	return prepared, nil
}

// arguments converts arguments to what a function takes.
func arguments(name string, t reflect.Type, args []any) ([]reflect.Value, error) {
	fixed := t.NumIn()
	if t.IsVariadic() {
		fixed--
	}
	if len(args) < fixed || len(args) > fixed && !t.IsVariadic() {
		return nil, fmt.Errorf("`%s` has %d arguments, %d are wanted", name, len(args), fixed)
	}
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		want := t.In(min(i, t.NumIn()-1))
		if i >= fixed {
			want = t.In(fixed).Elem()
		}
		value, ok := convert(arg, want)
		if !ok {
			return nil, fmt.Errorf("argument %d of `%s` must be %s, found %s", i+1, name, nameType(want), describe(arg))
		}
		in[i] = value
	}
	return in, nil
}

// convert gives a value the type that a function wants, where nothing is lost.
func convert(arg any, want reflect.Type) (reflect.Value, bool) {
	if arg == nil {
		kind := want.Kind()
		return reflect.Zero(want), kind == reflect.Interface || kind == reflect.Map || kind == reflect.Slice
	}
	v := reflect.ValueOf(arg)
	switch {
	case v.Type().AssignableTo(want):
		if want.Kind() == reflect.Interface {
			boxed := reflect.New(want).Elem()
			boxed.Set(v)
			return boxed, true
		}
		return v, true
	case want.Kind() == reflect.String:
		text, ok := plain(arg).(string)
		return reflect.ValueOf(text).Convert(want), ok
	case want.Kind() == reflect.Int && v.CanInt():
		return reflect.ValueOf(int(v.Int())), true
	case want.Kind() == reflect.Int && v.CanUint():
		return reflect.ValueOf(int(v.Uint())), v.Uint() <= math.MaxInt
	case want.Kind() == reflect.Float64 && v.CanInt():
		return reflect.ValueOf(float64(v.Int())), true
	}
	return reflect.Value{}, false
}

func nameType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Map:
		return "a map"
	case reflect.Slice:
		return "a list"
	default:
		return t.String()
	}
}

// describe names the kind of a value.
func describe(v any) string {
	switch plain(v).(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	switch t := reflect.TypeOf(v); t.Kind() {
	case reflect.Bool, reflect.String, reflect.Map, reflect.Slice:
		return nameType(t)
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "an integer"
	default:
		return t.String()
	}
}

// shallowSize is what a value has without what is in its entries.
func shallowSize(v any) int {
	if v == nil {
		return 1
	}
	switch v := reflect.ValueOf(v); v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Slice, reflect.Map:
		return 1 + v.Len()
	default:
		return 1
	}
}

// checkSize bounds what a function returns.
func (r *run) checkSize(v any) error {
	size := shallowSize(v)
	if l, laid := v.(*layout); laid {
		size, v = len(l.text), l.text
	}
	switch {
	case isCollection(v) && size > maxList+1:
		return r.stop("a list or a map has %d entries, %d are allowed", size-1, maxList)
	case size > maxValue:
		return r.stop("a text has %d bytes, %d are allowed", size, maxValue)
	}
	return r.charge(size)
}
