#!/bin/sh
# layers.sh - holds the tree against the layers and the habits of DESIGN.md. TAP on standard output.
#
#	sh tests/pipeline/layers.sh          from the repository's root folder
#
# Checked: an include goes to a lower line of the order below or stays in its folder; no circle of headers; each library is included by one place only; only sys and the helpers start
# processes; only cli, report, main.c and the helpers write to standard output. Then violations are planted in a
# copy, one at a time, and must be found.
set -u
LC_ALL=C
export LC_ALL
# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh

# From the ground up. Folders of one line do not include each other.
order='base
sys stats
record
spec code host
toolchain
archive
plan
build measure
compare
session
report
cli
main.c'

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

cat >"$scratch/check.awk" <<'AWK'
# Input: C files named relative to the tree. Output: RULE<tab>FILE:LINE: what is wrong.
BEGIN {
	lines = split(order, line, "\n")
	for (i = 1; i <= lines; i++) {
		n = split(line[i], folder, " ")
		for (k = 1; k <= n; k++)
			layer[folder[k]] = i
	}
	# which files may include a library's header
	library["git2.h"] = "^harness/sys/git(_export)?[.]c$"
	library["zlib.h"] = "^harness/base/gzip[.]c$"
	library["jansson.h"] = "^harness/base/json[.]h$"
	library["yaml.h"] = library["cyaml/cyaml.h"] = "^harness/spec/"
	library["libelf.h"] = library["gelf.h"] = library["Zydis/Zydis.h"] = "^harness/code/"
	library["sqlite3.h"] = "^harness/archive/index[.]c$"
	starters = "^harness/(helpers/|sys/(process|supervise|spawner|child)[^/]*$)"
	printers = "^harness/(cli/|report/|helpers/|main[.]c$)"
	before = "(^|[^A-Za-z0-9_.>])"
}

function bad(rule, text)
{
	printf "%s\t%s:%d: %s\n", rule, FILENAME, FNR, text
}

# The line without comments and with empty literals.
function code_of(text,    out, c, end)
{
	out = ""
	while (text != "") {
		if (in_comment) {
			end = index(text, "*/")
			if (end == 0)
				return out
			text = substr(text, end + 2)
			in_comment = 0
			continue
		}
		if (!match(text, /["']|\/[*\/]/))
			return out text
		out = out substr(text, 1, RSTART - 1)
		c = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (c == "/*") {
			in_comment = 1
		} else if (c == "//") {
			return out
		} else {
			while (text != "" && substr(text, 1, 1) != c)
				text = substr(text, substr(text, 1, 1) == "\\" ? 3 : 2)
			text = substr(text, 2)
			out = out c c
		}
	}
	return out
}

function folder_of(path)
{
	return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : path
}

function stem_of(path)
{
	sub(/[.][ch]$/, "", path)
	return path
}

# helpers link base only; of sys they may take what has no source beside it
function helper_include(path)
{
	if (path ~ /^(base|helpers)\// || path == "driver/protocol.h")
		return 1
	return path ~ /^sys\// && !(("harness/" stem_of(path) ".c") in exists)
}

function local_include(path,    from, to)
{
	from = folder_of(substr(FILENAME, length("harness/") + 1))
	to = folder_of(path)
	if (path ~ /^[.]|\/[.]/) {
		bad("layers", "\"" path "\" is not relative to harness/")
	} else if (from == "helpers") {
		if (!helper_include(path))
			bad("layers", "a helper links base only and cannot include " path)
	} else if (path == "driver/protocol.h") {
		if (from != "measure" && from != "sys")
			bad("layers", "driver/protocol.h is for measure and the spawner, not for " from)
	} else if (!(from in layer)) {
		bad("layers", "the folder " from " stands in no layer")
	} else if (!(to in layer)) {
		bad("layers", "\"" path "\": there is no layer " to)
	} else if (from != to && layer[to] == layer[from]) {
		bad("layers", from " includes " path ", which stands beside it")
	} else if (layer[to] > layer[from]) {
		bad("layers", from " includes " path ", which stands above it")
	} else if (from == to) {
		edges[FILENAME] = edges[FILENAME] " harness/" path
	}
}

function system_include(path)
{
	if (path in library && FILENAME !~ library[path])
		bad("libraries", "includes <" path ">")
}

FNR == 1 {
	in_comment = 0
}

!in_comment && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	local_include(part[2])
	next
}

!in_comment && /^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, /[<>]/)
	system_include(part[2])
	next
}

{
	text = code_of($0)
	if (FILENAME !~ starters && text ~ (before "(v?fork|clone3?|exec[lv]p?e?|fexecve|execveat|posix_spawnp?|system|popen|wordexp)[ \t]*[(]"))
		bad("processes", "starts a process; sys/process.h does that")
	if (FILENAME !~ printers && text ~ (before "(v?printf|puts|putchar)[ \t]*[(]"))
		bad("printing", "prints; only cli, report and main.c do that")
	if (FILENAME !~ printers && text ~ (before "(stdout|STDOUT_FILENO)([^A-Za-z0-9_]|$)"))
		bad("printing", "uses standard output; only cli, report and main.c do that")
}

# Depth first; state 1: on the path, 2: done.
function visit(file, path,    list, n, i)
{
	if (state[file] == 2)
		return
	if (state[file] == 1) {
		printf "circles\t%s: %s %s\n", file, path, file
		return
	}
	state[file] = 1
	n = split(edges[file], list, " ")
	for (i = 1; i <= n; i++)
		visit(list[i], path " " file " ->")
	state[file] = 2
}

END {
	for (file in edges)
		all[++count] = file
	for (i = 1; i <= count; i++)
		visit(all[i], "")
}
AWK

# check TREE: all violations, one a line.
check()
{
	(
		cd "$1" || exit 1
		find harness -name '*.[ch]' | sort >"$scratch/files"
		[ -s "$scratch/files" ] || {
			printf 'layers\t%s: no C files\n' "$1"
			exit
		}
		{
			printf 'BEGIN {\n'
			sed 's/.*/exists["&"]/' "$scratch/files"
			printf '}\n'
		} >"$scratch/exists.awk"
		tr '\n' '\0' <"$scratch/files" |
			xargs -0 awk -v order="$order" -f "$scratch/exists.awk" -f "$scratch/check.awk"
	)
}

check . >"$scratch/found"
report() # RULE TEXT
{
	grep "^$1	" "$scratch/found" >"$scratch/rule"
	if [ -s "$scratch/rule" ]; then
		tap_not_ok "$2"
		cut -f2- "$scratch/rule" | while read -r line; do tap_note "$line"; done
	else
		tap_ok "$2"
	fi
}
report layers 'includes go to lower layers or stay in their folder'
report circles 'no circle of headers'
report libraries 'each library is included in its one place'
report processes 'only sys and the helpers start processes'
report printing 'only cli, report, main.c and the helpers print'

# What the workloads' sources include is their own, the driver's or the system's.
grep -rn '#include "' workloads --include='*.[ch]' | awk -F'"' '$2 ~ /\// && $2 !~ /^driver\// || $2 ~ /[.][.]/' >"$scratch/foreign"
tap_is "$(cat "$scratch/foreign")" '' 'workloads include nothing of the harness'

fresh_tree()
{
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree" && cp -R harness "$scratch/tree/"
}

# planted RULE FILE LINE TEXT: the line, at the end of that file of a copy, is found under RULE and nothing else is.
planted()
{
	fresh_tree
	mkdir -p "$scratch/tree/${2%/*}"
	printf '%s\n' "$3" >>"$scratch/tree/$2"
	check "$scratch/tree" | sort >"$scratch/new.sorted"
	new=$(sort "$scratch/found" | comm -13 - "$scratch/new.sorted")
	case $new in
	"$1	"*) tap_ok "found: $4" ;;
	*)
		tap_not_ok "found: $4"
		tap_note "found instead: ${new:-nothing}"
		;;
	esac
}
# clean FILE LINE TEXT: the line is no violation.
clean()
{
	fresh_tree
	printf '%s\n' "$2" >>"$scratch/tree/$1"
	check "$scratch/tree" | sort >"$scratch/new.sorted"
	tap_is "$(sort "$scratch/found" | comm -13 - "$scratch/new.sorted")" '' "not taken for a violation: $3"
}

planted layers harness/base/planted.c '#include "plan/plan.h"' 'an include of a higher layer'
planted layers harness/stats/planted.c '#include "sys/process.h"' 'an include sideways'
planted layers harness/plan/planted.c '  #  include   "../spec/spec.h"' 'an include with dots'
planted layers harness/extra/planted.c '#include "base/mem.h"' 'a folder that is in no layer'
planted layers harness/plan/planted.c '#include "extra/planted.h"' 'an include of a folder in no layer'
planted layers harness/helpers/planted.c '#include "spec/spec.h"' 'a helper that needs more than base'
planted layers harness/compare/planted.c '#include "driver/protocol.h"' 'the driver protocol outside measure'
planted circles harness/base/error.h '#include "base/text.h"' 'a circle of two headers'
planted libraries harness/spec/planted.c '#include <git2.h>' 'libgit2 outside sys/git.c'
planted libraries harness/record/planted.c '#include <jansson.h>' 'jansson outside base/json.h'
planted libraries harness/build/planted.c '#include <Zydis/Zydis.h>' 'Zydis outside code'
planted processes harness/build/planted.c 'int p(void) { return system ("true"); }' 'system()'
planted processes harness/host/planted.c 'int p(void) { return fork(); }' 'fork()'
planted printing harness/plan/planted.c 'void p(void) { puts("x"); }' 'puts() in a library folder'
planted printing harness/plan/planted.c '/* */ void p(void) { fputs("x", stdout); }' 'stdout behind a comment'
clean harness/plan/plan.c '/* fork() and printf("x") in a comment, and "a quote' 'a comment'
clean harness/plan/plan.c 'const char *t = "printf( \" fork( // ";' 'a text'
clean harness/plan/plan.c 'int f(struct s *s) { return s->system(s) + snprintf(0, 0, "") + my_fork(1); }' 'names that only end so'
clean harness/sys/process.c 'int f(void) { return fork(); }' 'fork() where it belongs'

tap_end
