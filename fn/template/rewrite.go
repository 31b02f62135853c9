package template

import (
	"strings"
	"text/template/parse"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The functions that the rewriter puts into a template. Nobody else may call them.
const (
	printName   = "_print"
	literalName = "_literal"
	stepName    = "_step"
	enterName   = "_enter"
	leaveName   = "_leave"
)

// rewriter checks the functions of a template, hands what every action prints to
// us, marks the strings that the template's author wrote, and meters what may be
// repeated.
type rewriter struct {
	template *Template
	known    map[string]function
	// literals are all strings that the author wrote.
	literals strings.Builder
	// names are the functions that are called.
	names   map[string]bool
	mistake *Mistake
}

func (w *rewriter) fail(code string, n parse.Node, hint, format string, args ...any) {
	if w.mistake == nil {
		w.mistake = w.template.mistake(code, int(n.Position()), hint, format, args...)
	}
}

func (w *rewriter) tree(t *parse.Tree) {
	if t.Root != nil {
		w.list(t.Root)
	}
}

// list rewrites a list of nodes. It begins with a step, so that no loop and no
// recursion goes round unmetered.
func (w *rewriter) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	nodes := []parse.Node{call(l.Pos, stepName, number(l.Pos, len(l.Nodes)))}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TemplateNode:
			w.pipe(n.Pipe)
			nodes = append(nodes, call(n.Pos, enterName), n, call(n.Pos, leaveName))
			continue
		case *parse.ActionNode:
			w.action(n)
		case *parse.IfNode:
			w.branch(&n.BranchNode)
		case *parse.WithNode:
			w.branch(&n.BranchNode)
		case *parse.RangeNode:
			w.branch(&n.BranchNode)
		}
		nodes = append(nodes, n)
	}
	l.Nodes = nodes
}

func (w *rewriter) branch(b *parse.BranchNode) {
	w.pipe(b.Pipe)
	w.list(b.List)
	w.list(b.ElseList)
}

// action appends a call that takes what the action prints, unless it prints
// nothing because it sets a variable.
func (w *rewriter) action(a *parse.ActionNode) {
	w.pipe(a.Pipe)
	if len(a.Pipe.Decl) > 0 {
		return
	}
	id := len(w.template.actions)
	w.template.actions = append(w.template.actions, action(a.Pipe.Position()))
	a.Pipe.Cmds = append(a.Pipe.Cmds, command(a.Pos, printName, number(a.Pos, id)))
}

func (w *rewriter) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for _, c := range p.Cmds {
		for i := range c.Args {
			c.Args[i] = w.argument(c.Args[i])
		}
	}
}

func (w *rewriter) argument(n parse.Node) parse.Node {
	switch n := n.(type) {
	case *parse.IdentifierNode:
		w.function(n)
	case *parse.PipeNode:
		w.pipe(n)
	case *parse.ChainNode:
		n.Node = w.argument(n.Node)
	case *parse.StringNode:
		w.literals.WriteString(n.Text)
		return &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Pos, Cmds: []*parse.CommandNode{command(n.Pos, literalName, n)}}
	}
	return n
}

func (w *rewriter) function(n *parse.IdentifierNode) {
	w.names[n.Ident] = true
	if _, known := w.known[n.Ident]; known || truths[n.Ident] {
		return
	}
	if why, impure := impureFunctions[n.Ident]; impure {
		w.fail("template-function", n, "put the value into the inputs", "function `%s` is not allowed: it %s", n.Ident, why)
		return
	}
	hint := "the functions are those of text/template and slim-sprig, toYaml, fromYaml, toJson, fromJson and slugify"
	if near, found := krm.Nearest(n.Ident, functionNames(w.known)); found {
		hint = "did you mean `" + near + "`?"
	}
	w.fail("template-function", n, hint, "there is no function `%s`", krm.Short(n.Ident, 64))
}

// call is an action that calls a function and prints nothing.
func call(pos parse.Pos, name string, args ...parse.Node) *parse.ActionNode {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command(pos, name, args...)},
	}}
}

func command(pos parse.Pos, name string, args ...parse.Node) *parse.CommandNode {
	ident := parse.NewIdentifier(name).SetPos(pos)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: append([]parse.Node{ident}, args...)}
}

func number(pos parse.Pos, n int) *parse.NumberNode {
	return &parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(n), Text: "0"}
}
