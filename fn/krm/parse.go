package krm

// ParseFile parses a file that a tenant can write: UTF-8 with or without BOM,
// LF or CRLF, one YAML document, unique string keys, bounded aliases. A file
// that is empty or holds only comments gives (nil, true). Every mistake is a
// finding at `file:line:column`; the result is then (nil, false).
func ParseFile(file string, data []byte, rep *Report) (*Node, bool) { return nil, false }

// ParseFiles is ParseFile for any number of documents; empty ones are skipped.
func ParseFiles(file string, data []byte, rep *Report) ([]*Node, bool) { return nil, false }
