package source_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

// packed are the headers and contents of files, in a random order: parents of
// files are not among them.
func packed(files map[string]source.Content) []entry {
	var entries []entry
	for name, content := range files {
		e := entry{Header: tar.Header{Name: name, Mode: 0o640}, text: string(content.Data)}
		if content.Executable {
			e.Mode = 0o750
		}
		if strings.HasSuffix(name, "/") {
			e.Typeflag = tar.TypeDir
		}
		entries = append(entries, e)
	}
	return entries
}

// entry is what a test packs. Its size is that of its text.
type entry struct {
	tar.Header
	text string
}

func file(name, text string) entry { return entry{tar.Header{Name: name, Mode: 0o644}, text} }

func special(name string, typeflag byte) entry {
	e := entry{Header: tar.Header{Name: name, Typeflag: typeflag, Mode: 0o644}}
	if typeflag == tar.TypeSymlink || typeflag == tar.TypeLink {
		e.Linkname = "/etc/passwd"
	}
	return e
}

// tarOf is a tar without its end.
func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		if e.Typeflag == 0 {
			e.Typeflag = tar.TypeReg
		}
		e.Size = int64(len(e.text))
		require.NoError(t, w.WriteHeader(&e.Header))
		_, err := io.WriteString(w, e.text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

var endOfTar = make([]byte, 1024)

func zipped(t testing.TB, parts ...io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = io.Copy(z, io.MultiReader(parts...))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func bytesOf(data []byte) io.Reader { return bytes.NewReader(data) }

// archiveOf is a whole `.tar.gz`.
func archiveOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	return zipped(t, bytesOf(tarOf(t, entries...)), bytesOf(endOfTar))
}

func save(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "source.tar.gz")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	return name
}

func writeArchive(t testing.TB, entries ...entry) string {
	t.Helper()
	return save(t, archiveOf(t, entries...))
}

// listing is all that a tree holds: directories end in a slash, a star marks what
// is executable, links and special files are in angle brackets.
func listing(t testing.TB, tree *source.Tree) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(string)
	walk = func(dir string) {
		entries, err := tree.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range slices.Clone(entries) {
			path := e.Name
			if dir != "" {
				path = dir + "/" + e.Name
			}
			switch e.Type {
			case source.Directory:
				found[path+"/"] = ""
				walk(path)
			case source.File:
				content, err := tree.ReadFile(path, 1<<30)
				require.NoError(t, err)
				if content.Executable {
					path += "*"
				}
				found[path] = string(content.Data)
			case source.Link, source.Other:
				found[path] = "<" + e.Type.String() + ">"
			}
		}
	}
	walk("")
	return found
}

func TestArchive(t *testing.T) {
	long := strings.Repeat("long/", 60) + "name"
	cases := map[string]struct {
		entries []entry
		want    map[string]string
	}{
		"of the root": {
			[]entry{special("./", tar.TypeDir), file("./a", "1"), special("./d/", tar.TypeDir), file("./d/b", "2")},
			map[string]string{"a": "1", "d/": "", "d/b": "2"},
		},
		"only the root": {[]entry{special(".", tar.TypeDir)}, map[string]string{}},
		"without directories": {
			[]entry{file("a/b/c", "1")},
			map[string]string{"a/": "", "a/b/": "", "a/b/c": "1"},
		},
		"a directory twice": {
			[]entry{special("d", tar.TypeDir), file("d/x", "1"), special("d/", tar.TypeDir)},
			map[string]string{"d/": "", "d/x": "1"},
		},
		"the later one counts": {
			[]entry{file("a", "1"), {tar.Header{Name: "./a", Mode: 0o755}, "22"}, special("b", tar.TypeSymlink), file("b", "3"), file("c", "4"), special("c", tar.TypeFifo)},
			map[string]string{"a*": "22", "b": "3", "c": "<a special file>"},
		},
		"names that are odd": {
			[]entry{file("a//b/./c", "1"), file("..data/x", ""), file("A", "2"), file("a\xff", "3"), file(`b\c`, "4"), file("n\n\x1b", "5")},
			map[string]string{"a/": "", "a/b/": "", "a/b/c": "1", "..data/": "", "..data/x": "", "A": "2", "a\xff": "3", `b\c`: "4", "n\n\x1b": "5"},
		},
		"links and special files": {
			[]entry{file("a", "1"), special("s", tar.TypeSymlink), special("h", tar.TypeLink), special("p", tar.TypeFifo), special("d/c", tar.TypeChar), special("b", tar.TypeBlock)},
			map[string]string{"a": "1", "s": "<a link>", "h": "<a link>", "p": "<a special file>", "d/": "", "d/c": "<a special file>", "b": "<a special file>"},
		},
		"long names": {
			[]entry{{tar.Header{Name: long, Format: tar.FormatPAX}, "1"}, {tar.Header{Name: long + "2", Format: tar.FormatGNU}, "2"}},
			map[string]string{long: "1", long + "2": "2"},
		},
		"the commit of git archive": {
			[]entry{{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "4f1c"}}}, file("a", "1")},
			map[string]string{"a": "1"},
		},
		"any execute bit": {
			[]entry{{tar.Header{Name: "u", Mode: 0o700}, ""}, {tar.Header{Name: "o", Mode: 0o645}, ""}, {tar.Header{Name: "s", Mode: 0o4644}, ""}},
			map[string]string{"u*": "", "o*": "", "s": ""},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tree, err := source.OpenArchive(writeArchive(t, c.entries...), ".")
			require.NoError(t, err)
			for path := range c.want {
				if path == long || path == long+"2" {
					for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
						c.want[dir+"/"] = ""
					}
				}
			}
			assert.Equal(t, c.want, listing(t, tree))
		})
	}
}

// What no tree holds, and what might be half of one, is an error that says what to
// do.
func TestArchiveErrors(t *testing.T) {
	whole := archiveOf(t, file("a", "1"), file("b", "2"))
	again := tarOf(t, file("c", "3"))
	tarA := tarOf(t, file("a", "1"))
	cases := map[string]struct {
		data       []byte
		want, cure string
	}{
		"no bytes":               {nil, "it is empty", "git archive"},
		"one byte":               {[]byte("\x1f"), "it is not gzip", "git archive"},
		"text":                   {[]byte("a: b\n"), "it is not gzip", "git archive"},
		"a tar without gzip":     {append(tarA, endOfTar...), "it is not gzip", "git archive"},
		"a zip":                  {[]byte("PK\x03\x04" + strings.Repeat("\x00", 100)), "it is not gzip", "git archive"},
		"gzip of text":           {zipped(t, strings.NewReader(strings.Repeat("a: b\n", 200))), "what is inside of the gzip is no tar", "git archive"},
		"gzip of little text":    {zipped(t, strings.NewReader("a: b\n")), "it ends early", "again"},
		"gzip of nothing":        {zipped(t), "it ends early", "again"},
		"nothing in the tar":     {archiveOf(t), "it holds nothing", "git archive"},
		"only a commit":          {archiveOf(t, entry{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "4f1c"}}}), "it holds nothing", "git archive"},
		"cut in the gzip header": {whole[:5], "it ends early", "again"},
		"cut in the content":     {whole[:len(whole)/2], "it ends early", "again"},
		"cut in the checksum":    {whole[:len(whole)-6], "it ends early", "again"},
		"checksum":               {append(whole[:len(whole)-8:len(whole)-8], 0, 0, 0, 0, whole[len(whole)-4], whole[len(whole)-3], whole[len(whole)-2], whole[len(whole)-1]), "its checksum is wrong", "again"},
		"garbage behind":         {slices.Concat(whole, []byte("garbage, and more of it")), "something that is not gzip follows it", "again"},
		"zeros behind":           {slices.Concat(whole, make([]byte, 512)), "something that is not gzip follows it", "again"},
		"broken compression":     {slices.Concat(whole[:12], []byte{0xff, 0xff, 0xff}, whole[15:]), "it is damaged: flate: corrupt input before offset ", "again"},
		"a tar without end":      {zipped(t, bytesOf(tarA)), "it ends early", "again"},
		"a tar cut in padding":   {zipped(t, bytesOf(tarA[:600])), "it ends early", "again"},
		"a tar cut in content":   {zipped(t, bytesOf(tarA[:512])), "it ends early", "again"},
		"a tar cut in a header":  {zipped(t, bytesOf(tarA[:300])), "it ends early", "again"},
		"a tar cut behind zeros": {zipped(t, bytesOf(tarOf(t, file("z", strings.Repeat("\x00", 4096))))), "it ends early", "again"},
		"a tar cut behind a long name": {
			zipped(t, bytesOf(tarA), bytesOf(tarOf(t, file(strings.Repeat("n", 300), ""))[:1024])), "it ends early", "again",
		},
		"a broken header":        {zipped(t, bytesOf(tarA), strings.NewReader(strings.Repeat("x", 512)), bytesOf(endOfTar)), "it is damaged: archive/tar: invalid tar header", "again"},
		"a second tar behind":    {zipped(t, bytesOf(tarA), bytesOf(endOfTar), bytesOf(again), bytesOf(endOfTar)), "something follows the end of the tar", "git archive"},
		"a second archive":       {slices.Concat(whole, archiveOf(t, file("c", "3"))), "something follows the end of the tar", "git archive"},
		"escape":                 {archiveOf(t, file("../x", "")), `the entry name "../x" leads out of the archive`, "tar -czf"},
		"escape inside":          {archiveOf(t, file("a/../../x", "")), `the entry name "a/../../x" leads out of the archive`, "tar -czf"},
		"dots inside":            {archiveOf(t, file("a/../x", "")), `the entry name "a/../x" leads out of the archive`, "tar -czf"},
		"absolute":               {archiveOf(t, file("/etc/x", "")), `the entry name "/etc/x" is not a relative path`, "tar -czf"},
		"no name":                {archiveOf(t, file("", "")), `the entry name "" is not a relative path`, "tar -czf"},
		"the root is a file":     {archiveOf(t, file("./.", "")), `the entry "./." is no directory, although it is the root`, "tar -czf"},
		"the root is a link":     {archiveOf(t, special(".", tar.TypeSymlink)), `the entry "." is no directory, although it is the root`, "tar -czf"},
		"below a file":           {archiveOf(t, file("x", ""), file("x/y", "")), `it holds "x" as a file and as a directory`, "tar -czf"},
		"below a link":           {archiveOf(t, special("x", tar.TypeSymlink), file("x/y", "")), `it holds "x" as a link and as a directory`, "tar -czf"},
		"a file twice otherwise": {archiveOf(t, file("x", ""), special("x", tar.TypeDir)), `it holds "x" as a file and as a directory`, "tar -czf"},
		"instead of directory":   {archiveOf(t, file("x/y", ""), file("x", "")), `it holds "x" as a file and as a directory`, "tar -czf"},
		"a type of its own":      {archiveOf(t, special("x", 'M')), `the entry "x" is of type 'M': neither a file, a directory, a link nor a device`, "tar -czf"},
		"a name of 5000 bytes":   {archiveOf(t, file(strings.Repeat("n", 5000), "")), "an entry name has 5000 bytes, 4095 are allowed", "tar -czf"},
		"a name of 2 MiB":        {zipped(t, bytesOf(retyped(tarOf(t, file("././@LongLink", strings.Repeat("n", 2<<20))), tar.TypeGNULongName)), bytesOf(tarA), bytesOf(endOfTar)), "it is damaged: archive/tar: header field too long", "again"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := source.OpenArchive(save(t, c.data), "repo.tgz")
			require.ErrorContains(t, err, `cannot read the archive "repo.tgz": `+c.want)
			assert.Contains(t, source.Cure(err), c.cure)
			var wrong *source.ArchiveError
			require.ErrorAs(t, err, &wrong)
		})
	}
}

// One tar may be in several gzip members, as parallel compressors write it.
func TestArchiveInParts(t *testing.T) {
	whole := append(tarOf(t, file("a", "1"), file("b", "2")), endOfTar...)
	var parts []byte
	for part := range slices.Chunk(whole, 700) {
		parts = append(parts, zipped(t, bytesOf(part))...)
	}
	tree, err := source.OpenArchive(save(t, parts), ".")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, listing(t, tree))
}

// Tapes have blocks of 10 KiB, and some writers leave one block of the end out.
func TestEndsOfArchives(t *testing.T) {
	for _, zeros := range []int{512, 1024, 10240} {
		tree, err := source.OpenArchive(save(t, zipped(t, bytesOf(tarOf(t, file("a", "1"))), bytesOf(make([]byte, zeros)))), ".")
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"a": "1"}, listing(t, tree))
	}
}

func TestNoArchive(t *testing.T) {
	dir := t.TempDir()
	_, err := source.OpenArchive(filepath.Join(dir, "nope.tgz"), "../nope.tgz")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, `cannot read the archive "../nope.tgz": no such file or directory`)
	_, err = source.OpenArchive(dir, "dir.tgz")
	require.EqualError(t, err, `cannot read the archive "dir.tgz": it is a directory`)
	assert.Equal(t, "name it in `directory` instead of `archive`", source.Cure(err))
}

// sparseHeader is that of an entry in the old format of GNU: physical bytes in the
// archive, which stand at the end of logical ones.
func sparseHeader(t *testing.T, name string, physical, logical int64) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, tar.NewWriter(&b).WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: physical, Format: tar.FormatGNU}))
	block := b.Bytes()[:512]
	copy(block[386:], fmt.Sprintf("%011o\x00%011o\x00", logical-physical, physical))
	copy(block[483:], fmt.Sprintf("%011o\x00", logical))
	return retyped(block, tar.TypeGNUSparse)
}

// retyped gives the first header of a tar another type.
func retyped(data []byte, typeflag byte) []byte {
	data[156] = typeflag
	copy(data[148:], "        ")
	sum := 0
	for _, c := range data[:512] {
		sum += int(c)
	}
	copy(data[148:], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

func TestSparseEntry(t *testing.T) {
	data := make([]byte, 512)
	copy(data, "end")
	tree, err := source.OpenArchive(save(t, zipped(t, bytesOf(sparseHeader(t, "s", 3, 5)), bytesOf(data), bytesOf(tarOf(t, file("a", "1"))), bytesOf(endOfTar))), ".")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"s": "\x00\x00end", "a": "1"}, listing(t, tree))
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A small archive must not become a large one, and is refused before it has.
func TestArchiveBombs(t *testing.T) {
	header := func(size int64) io.Reader {
		var b bytes.Buffer
		require.NoError(t, tar.NewWriter(&b).WriteHeader(&tar.Header{Name: fmt.Sprint("f", size), Size: size, Mode: 0o600}))
		return &b
	}
	zeros := func(size int64) io.Reader { return io.LimitReader(zeroReader{}, size) }
	long := tarOf(t, file(strings.Repeat("d/", 2000)+"x", ""))
	cases := map[string]struct {
		parts []io.Reader
		want  string
	}{
		"10 GiB of zeros in a file":  {[]io.Reader{header(10 << 30), zeros(1 << 20)}, "its files have more than 268435456 bytes"},
		"8 GiB in a sparse file":     {[]io.Reader{bytesOf(sparseHeader(t, "s", 1, 8<<30-1)), zeros(512)}, "its files have more than 268435456 bytes"},
		"a size that lies":           {[]io.Reader{header(200 << 20)}, "it ends early"},
		"more than the limit in two": {[]io.Reader{header(150 << 20), zeros(150 << 20), header(110 << 20)}, "its files have more than 268435456 bytes"},
		"long names":                 {[]io.Reader{header(250 << 20), zeros(250 << 20), bytesOf(bytes.Repeat(long, 2000))}, "it takes more than 268435456 bytes in memory"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			archive := save(t, zipped(t, c.parts...))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := source.OpenArchive(archive, ".")
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, c.want)
			assert.NotEmpty(t, source.Cure(err))
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(600<<20))
		})
	}
}

// A stream is bounded, too: headers and what is behind the end take time.
func TestTarballStreamIsBounded(t *testing.T) {
	const limit = 1 << 20
	one := tarOf(t, file("x", ""))
	zeros := make([]byte, 3<<20)
	for name, stream := range map[string][]byte{
		"zeros behind the end":     slices.Concat(one, zeros),
		"nothing but zeros":        zeros,
		"one entry all the time":   bytes.Repeat(one, 5000),
		"a link all the time":      bytes.Repeat(tarOf(t, special("x", tar.TypeSymlink)), 5000),
		"a commit all the time":    bytes.Repeat(tarOf(t, entry{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "4f1c"}}}), 3000),
		"a long name all the time": bytes.Repeat(tarOf(t, file(strings.Repeat("n", 4000), "")), 1000),
	} {
		put := 0
		err := source.ReadTarball(bytesOf(zipped(t, bytesOf(stream))), limit, func(string, source.EntryType, source.Content) error {
			put++
			return nil
		})
		require.ErrorContains(t, err, "it unpacks to more than 2097152 bytes", name)
		assert.LessOrEqual(t, put, 2*limit/512, name)
	}
}

// The limit counts about what an entry really takes.
func TestArchiveTakesWhatItCounts(t *testing.T) {
	const tenants, each, size = 1000, 20, 400
	var entries []entry
	for i := range tenants {
		for j := range each {
			entries = append(entries, file(fmt.Sprintf("tenants/tenant-%05d/modules/m%d/manifests/%d.yaml", i, j/5, j), strings.Repeat("x", size)))
		}
	}
	name := writeArchive(t, entries...)
	heap := func() int {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return int(memory.HeapAlloc)
	}
	before := heap()
	tree, err := source.OpenArchive(name, ".")
	require.NoError(t, err)
	taken := heap() - before
	tree.Close()
	files := tenants * each
	perEntry := (taken - files*(size+len("tenants/tenant-00000/modules/m0/manifests/00.yaml"))) / files
	t.Logf("%d bytes for each of %d entries, besides path and content", perEntry, files)
	assert.Less(t, perEntry, 128)
	assert.InDelta(t, taken, tree.Held, float64(taken)/5)
}

// FuzzArchive reads any tar stream: nothing panics, the result is the same each
// time, no name leaves the tree, what it takes stays within the limit, and a tree
// holds what a plain reader of tars finds.
func FuzzArchive(f *testing.F) {
	for _, entries := range [][]entry{
		{file("a", "1"), file("d/b", "2"), special("e/", tar.TypeDir)},
		{file("./a", "1"), file("a", "22"), special("a", tar.TypeSymlink)},
		{file("../x", ""), file("/x", "")},
		{special("s", tar.TypeSymlink), file("s/x", ""), special("h", tar.TypeLink), special("p", tar.TypeFifo)},
		{file(strings.Repeat("n/", 90)+"x", "1"), file("ü/\xff", "2")},
		{{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "4f1c"}}}, file("a", "1")},
	} {
		f.Add(append(tarOf(f, entries...), endOfTar...))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		if bytes.Count(stream, []byte("/")) > 200 {
			return // too deep for a tree to list
		}
		stream = slices.Clone(stream)
		for block := range slices.Chunk(stream, 512) { // a wrong checksum ends it too early
			if len(block) == 512 && string(block[257:262]) == "ustar" {
				retyped(block, block[156])
			}
		}
		name := save(t, zipped(t, bytesOf(stream)))
		tree, err := source.OpenArchive(name, ".")
		again, errAgain := source.OpenArchive(name, ".")
		require.Equal(t, err, errAgain)
		if err != nil {
			require.NotEmpty(t, source.Cure(err), err)
			return
		}
		found := listing(t, tree)
		require.Equal(t, found, listing(t, again))
		for path := range found {
			for segment := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
				require.NotContains(t, []string{"", ".", ".."}, segment, path)
			}
		}
		require.Equal(t, plainly(t, stream), withoutDirectories(found))
	})
}

// plainly reads a tar without any defence.
func plainly(t *testing.T, stream []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(stream)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		name := filepath.Clean(header.Name)
		delete(found, name)
		delete(found, name+"*")
		switch header.Typeflag {
		case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			if header.Mode&0o111 != 0 {
				name += "*"
			}
			found[name] = string(data)
		case tar.TypeSymlink, tar.TypeLink:
			found[name] = "<a link>"
		case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
			found[name] = "<a special file>"
		}
	}
}

func withoutDirectories(listing map[string]string) map[string]string {
	rest := maps.Clone(listing)
	maps.DeleteFunc(rest, func(path, _ string) bool { return strings.HasSuffix(path, "/") })
	return rest
}
