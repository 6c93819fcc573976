#!/bin/sh
# What `make coverage` shows after the tests ran on objects with --coverage: lines covered of each folder and
# the files with the least, and with lcov and genhtml a browsable report in .build/coverage/.
#
#	OBJECTS=.build/HASH sh tests/coverage.sh      else the newest folder with coverage data is taken
set -u
LC_ALL=C
export LC_ALL

objects=${OBJECTS:-}
if [ -z "$objects" ]; then
	# the newest .gcda tells the folder: names there are made of hashes only
	# shellcheck disable=SC2012
	newest=$(find .build -name '*.gcda' -exec ls -t {} + 2>/dev/null | head -n 1)
	objects=$(printf '%s\n' "$newest" | cut -d/ -f1-2)
fi
if [ -z "$objects" ] || ! [ -d "$objects" ]; then
	echo 'coverage: no coverage data in .build; run: make coverage' >&2
	exit 3
fi
command -v gcov >/dev/null 2>&1 || {
	echo 'coverage: gcov, which comes with gcc, is not installed' >&2
	exit 3
}
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# Of headers and sources of harness/ each line once: gcov -n prints two lines a file.
find "$objects/harness" -name '*.gcda' -exec gcov -n {} + 2>/dev/null |
	awk -F"'" '
	/^File / { file = $2; next }
	/^Lines executed:/ && file ~ /^harness\/.*[.]c$/ {
		split($0, part, /[:% ]+/) # Lines executed:95.00% of 120
		printf "%s\t%.0f\t%d\n", file, part[3] * part[5] / 100, part[5]
		file = ""
	}' | sort -u >"$scratch/files"
if ! [ -s "$scratch/files" ]; then
	echo "coverage: gcov found nothing in $objects; were the tests run?" >&2
	exit 3
fi

echo 'lines covered, by folder:'
awk -F'\t' '
{
	split($1, part, "/")
	hit[part[2]] += $2
	all[part[2]] += $3
	hits += $2
	lines += $3
}
END {
	for (folder in all)
		printf "%6.1f %%  %6d of %6d  %s\n", 100 * hit[folder] / all[folder], hit[folder], all[folder], folder | "sort -k5"
	close("sort -k5")
	printf "%6.1f %%  %6d of %6d  all\n", 100 * hits / lines, hits, lines
}' "$scratch/files"
echo
echo 'files with the smallest share:'
awk -F'\t' '$3 > 0 { printf "%6.1f %%  %s\n", 100 * $2 / $3, $1 }' "$scratch/files" | sort -n | head -n 15

if command -v lcov >/dev/null 2>&1 && command -v genhtml >/dev/null 2>&1; then
	rm -rf .build/coverage
	if lcov --quiet --capture --directory "$objects/harness" --base-directory . --no-external \
		--output-file "$scratch/info" >"$scratch/log" 2>&1 &&
		genhtml --quiet --output-directory .build/coverage "$scratch/info" >>"$scratch/log" 2>&1; then
		echo
		echo 'by line: .build/coverage/index.html'
	else
		tail -n 5 "$scratch/log" >&2
	fi
fi
