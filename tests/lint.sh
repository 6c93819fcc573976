#!/bin/sh
# Everything that reads the sources without running them: clang-tidy, cppcheck, shellcheck, clang-format, the
# layers, and each header compiled alone. Goes on after a finding; ends with 1 when there was any.
#
#	make lint                     (sets ALL_CFLAGS, the compiler's flags as a shell would read them)
#	ONLY=format make lint         one part: tidy cppcheck shell format layers headers
set -u
LC_ALL=C
export LC_ALL
: "${ALL_CFLAGS:?the compiler flags, set by make lint}"
eval "set -- $ALL_CFLAGS"
jobs=$(nproc 2>/dev/null || echo 2)
failed=

# part NAME COMMAND..: runs one part and notes whether it found something.
part()
{
	name=$1
	shift
	case ${ONLY:-$name} in "$name") ;; *) return ;; esac
	echo "lint: $name"
	"$@" || failed="$failed $name"
}

c_files() { find harness tests workloads -name '*.[ch]' | sort | tr '\n' '\0'; }

tidy()
{
	find harness -name '*.c' | sort | tr '\n' '\0' | xargs -0 -P "$jobs" -I @@ clang-tidy --quiet @@ -- "$@" 2>&1 |
		grep -v -e '^[0-9]* warnings* generated' -e '^Suppressed ' -e '^Use -header-filter' >"$scratch/tidy"
	cat "$scratch/tidy"
	[ ! -s "$scratch/tidy" ]
}

cpp_check()
{
	printf '%s\n' '#define json_object_foreach(o, k, v) for (k = "", v = o; v; v = 0)' \
		'#define json_array_foreach(a, i, v) for (i = 0, v = a; v; v = 0)' >"$scratch/jansson.h"
	# internalAstError: it stumbles over compound literals, which are C11;
	# varFuncNullUB: POSIX has NULL as a pointer
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem --suppress=internalAstError --suppress=varFuncNullUB \
		--include="$scratch/jansson.h" -j "$jobs" -D_GNU_SOURCE -Iharness -Iworkloads \
		harness workloads
}

shell_check() { find tests .ci -name '*.sh' -o -path .ci/run | sort | tr '\n' '\0' | xargs -0 shellcheck -x; }

format() { c_files | xargs -0 clang-format --dry-run --Werror; }

layers() { sh tests/pipeline/layers.sh >"$scratch/layers" || { grep -v '^ok' "$scratch/layers" && return 1; }; }

# A header that needs another one before it breaks where the order of includes changes.
headers()
{
	status=0
	for header in $(find harness workloads -name '*.h' | sort); do
		echo "#include \"$header\"" >"$scratch/alone.c"
		"${CC:-gcc}" "$@" -I. -Werror -fsyntax-only "$scratch/alone.c" || status=1
	done
	return $status
}

scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

part format format
part headers headers "$@"
part layers layers
part shell shell_check
part cppcheck cpp_check
part tidy tidy "$@"

if [ -n "$failed" ]; then
	echo "lint: findings in:$failed" >&2
	exit 1
fi
echo 'lint: clean'
