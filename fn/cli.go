package fn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// largeInput is where memory begins to matter more than time, in bytes: what a
// host sends back of some thousand namespaces.
const largeInput = 16 << 20

// spare keeps the heap small beside an input of this size, for a fifth more time.
func spare(size int64) {
	if size > largeInput {
		debug.SetGCPercent(25)
	}
}

// The exit statuses.
const (
	exitOK        = 0
	exitErrors    = 1 // nothing was emitted
	exitUnusable  = 2 // something could not be read or written, or the arguments are wrong
	exitSafeguard = 3 // nothing was emitted, and only safeguards say so
)

const help = `provision-tenants reads a KRM ResourceList on stdin and writes one on stdout, with
the Namespaces and ExternalArtifacts that a tree of tenant directories asks for.

Usage:
  provision-tenants                        the KRM function: what kustomize and kpt call
  provision-tenants CONFIG                 the same with the functionConfig in a file, and bare
                                           YAML documents in and out: what kubectl calls
  provision-tenants publish [CONFIG] --out DIR
                                           read the same, write the archives of the artifacts
                                           below DIR, print the paths of those that are new
  provision-tenants schema [KIND]          print the JSON Schema of KIND, or list the kinds
  provision-tenants schema [KIND] --out DIR
                                           write DIR/<group>/<kind>_<version>.json
  provision-tenants version                print the version
  provision-tenants help                   print this text

Try it, where fn.yaml holds the configuration:
  provision-tenants fn.yaml </dev/null

Exit status: 0 done; 1 errors, nothing emitted; 2 something could not be read or
written; 3 only deletion safeguards stopped the run, nothing emitted.
`

// Main runs one verb, the KRM function when there is none, and returns the exit
// status. It reads the working directory and what the configuration names, and
// writes to stdout and stderr only; `schema --out` and `publish --out` write files.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := command{stdin, stdout, stderr}
	if len(args) == 0 {
		return c.function()
	}
	switch verb, rest := args[0], args[1:]; verb {
	case "publish":
		return c.publish(rest)
	case "schema":
		return c.schema(rest)
	case "version", "--version":
		return c.version(rest)
	case "help", "--help", "-h":
		return c.print(help)
	default:
		return c.plugin(args)
	}
}

type command struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// function is what hosts call.
func (c command) function() int {
	if isTerminal(c.stdin) {
		return c.print(help)
	}
	return c.run(c.readList(""))
}

// plugin is what kustomize calls where nothing else may be executed, as in
// kubectl: its legacy exec plugins get the functionConfig as a file.
func (c command) plugin(args []string) int {
	list, err := (*krm.List)(nil), fs.ErrNotExist
	if len(args) == 1 {
		list, err = c.readList(args[0])
	}
	if errors.Is(err, fs.ErrNotExist) {
		return c.misused("unknown verb %q%s", args[0], didYouMean(args[0], "publish", "schema", "version", "help"))
	}
	return c.run(list, err)
}

// readList reads what a run works on: a ResourceList on stdin, or, with the name
// of a file, the functionConfig in that file and bare documents on stdin.
func (c command) readList(file string) (*krm.List, error) {
	var configuration, data []byte
	var err error
	if file != "" {
		configuration, err = source.ReadFile(file)
	}
	if err == nil && !isTerminal(c.stdin) {
		data, err = io.ReadAll(c.stdin)
	}
	spare(int64(len(data)))
	switch {
	case err != nil:
		return nil, err
	case file == "":
		return krm.Read(data)
	}
	list, err := krm.ReadDocuments(configuration, data)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", file, err)
	}
	return list, nil
}

// run emits the result of a run.
func (c command) run(list *krm.List, err error) int {
	if err != nil {
		return c.unusable(err)
	}
	rep := &krm.Report{}
	return c.end(rep, Run(list, c.stdout, rep))
}

// publish prints what it wrote: nothing when all of it was there.
func (c command) publish(args []string) int {
	file, dir, ok := cutOut(args)
	if !ok || dir == "" {
		return c.misused("usage: provision-tenants publish [CONFIG] --out DIR, got %q", args)
	}
	if file == "" && isTerminal(c.stdin) {
		return c.misused("a ResourceList must come in on stdin, or a configuration file be named: provision-tenants publish CONFIG --out DIR")
	}
	list, err := c.readList(file)
	if err != nil {
		return c.unusable(err)
	}
	rep := &krm.Report{}
	written, err := Publish(list, dir, rep)
	for _, path := range written {
		if status := c.print(path + "\n"); status != exitOK {
			return status
		}
	}
	return c.end(rep, err)
}

// end shows what is wrong, and returns the exit status.
func (c command) end(rep *krm.Report, err error) int {
	for _, f := range rep.Findings() {
		if f.Severity > krm.Info {
			_, _ = fmt.Fprintf(c.stderr, "%s: %s\n", f.Severity, f)
		}
	}
	if err != nil {
		return c.unusable(err)
	}
	return exitStatus(rep)
}

func exitStatus(rep *krm.Report) int {
	switch rep.Worst() {
	case krm.Error:
		return exitErrors
	case krm.Safeguard:
		return exitSafeguard
	case krm.Info, krm.Warning:
	}
	return exitOK
}

// isTerminal is true when nobody pipes anything in: a person is looking at a
// program that seems to hang.
func isTerminal(r io.Reader) bool {
	file, ok := r.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

func (c command) schema(args []string) int {
	kind, dir, ok := cutOut(args)
	if !ok {
		return c.misused("usage: provision-tenants schema [KIND] [--out DIR], got %q", args)
	}
	return c.writeSchemas(kind, dir)
}

// cutOut reads `[WORD] [--out DIR]`, in any order.
func cutOut(args []string) (word, dir string, ok bool) {
	for i := 0; i < len(args); i++ {
		value, inline := strings.CutPrefix(args[i], "--out=")
		switch {
		case inline:
			dir = value
		case args[i] == "--out" && i+1 < len(args):
			i++
			dir = args[i]
		case strings.HasPrefix(args[i], "-") || word != "":
			return "", "", false
		default:
			word = args[i]
		}
	}
	return word, dir, true
}

func (c command) writeSchemas(kind, dir string) int {
	schemas := config.Schemas()
	var kinds []string
	for _, s := range schemas {
		kinds = append(kinds, s.Kind)
	}
	if kind != "" {
		schemas = slices.DeleteFunc(schemas, func(s config.SchemaFile) bool { return s.Kind != kind })
		if len(schemas) == 0 {
			return c.misused("no schema of kind %q%s", kind, didYouMean(kind, kinds...))
		}
	}
	switch {
	case dir == "" && kind == "":
		return c.print(strings.Join(kinds, "\n") + "\n")
	case dir == "":
		return c.print(string(schemas[0].Data))
	}
	for _, s := range schemas {
		if err := source.WriteFile(dir, s.Path, s.Data); err != nil {
			return c.unusable(err)
		}
	}
	return exitOK
}

func (c command) version(args []string) int {
	if len(args) > 0 {
		return c.misused("usage: provision-tenants version, got %q", args[0])
	}
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return c.print("provision-tenants " + version + "\n")
}

func (c command) print(text string) int {
	if _, err := io.WriteString(c.stdout, text); err != nil {
		return c.unusable(err)
	}
	return exitOK
}

func (c command) misused(format string, args ...any) int {
	_, _ = fmt.Fprintf(c.stderr, "error: "+format+"\n", args...)
	return exitUnusable
}

func (c command) unusable(err error) int { return c.misused("%s", err) }

func didYouMean(name string, known ...string) string {
	if near, ok := krm.Nearest(name, known); ok {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
