#!/bin/sh
# archive_format.sh - a record's file read with other people's tools: zcat, sed, sha256sum, jq, python3. What
# archive/README.md says must be true of the bytes. TAP on standard output.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
n=0
failures=0

# report CODE TEXT: one TAP line, ok when CODE is 0
report()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failures=$((failures + 1))
	fi
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

# The writer is built from the sources that it needs and nothing else, so that it has no sanitizer or coverage in it.
# shellcheck disable=SC2046  # pkg-config's answer is a list of words
if ! ${CC:-cc} -std=gnu11 -O1 -D_GNU_SOURCE -Iharness -o "$scratch/writer" tests/bench/bench_record.c harness/record/*.c \
	harness/base/*.c $(pkg-config --cflags --libs jansson zlib) -lm >"$scratch/log" 2>&1; then
	sed 's/^/# /' "$scratch/log"
	echo "not ok 1 - the writer is built"
	echo 1..1
	exit 1
fi
file="$scratch/record.json.gz"
"$scratch/writer" write "$file" 1000
report $? 'a record of 1040 samples is written'

gzip -t "$file"
report $? 'gzip finds it intact'
zcat "$file" >"$scratch/doc"
report $? 'zcat unpacks it'

# RFC 1952: magic, deflate, no flags, no time stamp; byte 9 (OS) is 255
header=$(od -An -tx1 -N10 "$file" | tr -d ' \n')
case $header in
1f8b080000000000??ff) report 0 'the gzip header has no name and no time stamp' ;;
*) report 1 "the gzip header has no name and no time stamp, but is $header" ;;
esac
[ "$(tail -c 2 "$scratch/doc" | od -An -tx1 | tr -d ' \n')" = 7d0a ]
report $? 'the document ends in } and a newline'

head -c 104 "$scratch/doc" | grep -q '^{"schema":"flagstone.record/1","id":"[0-9a-f]\{64\}",$'
report $? 'the document starts as specified'

# the two lines of archive/README.md, as they stand there
grep -q -F "sed '1s/\"id\":\"[0-9a-f]\\{64\\}\"/\"id\":\"0000" archive/README.md
report $? 'README.md has the command for the id'
zeros=0000000000000000000000000000000000000000000000000000000000000000
id=$(head -c 101 "$scratch/doc" | tail -c 64)
got=$(zcat "$file" | sed "1s/\"id\":\"[0-9a-f]\\{64\\}\"/\"id\":\"$zeros\"/" | sha256sum | cut -d ' ' -f 1)
[ "$got" = "$id" ]
report $? "zcat | sed | sha256sum gives the id (${id%"${id#????????????}"}...)"
got=$(zcat "$file" | sed "1s/\"id\":\"[0-9a-f]\\{64\\}\"/\"id\":\"$zeros\"/; s/Dhrystone 2/Dhrystone 3/" | sha256sum | cut -d ' ' -f 1)
[ "$got" != "$id" ]
report $? 'another content gives another id'

if have jq; then
	[ "$(jq -r .id "$scratch/doc")" = "$id" ]
	report $? 'jq reads it'
	[ "$(jq '[.samples[] | length] | unique | tostring' "$scratch/doc")" = '"[1040]"' ]
	report $? 'all columns have sample_count rows'
	jq -e '.samples.value | map(. == null or (type == "number" and . > 0)) | all' "$scratch/doc" >/dev/null
	report $? 'every value is null or positive'
	# every member of the document, at any place, stands in README.md and in the schema
	jq -r '[keys, (.samples, .plan, .plan.settings, .plan.comparisons[], .builds[], .builds[].layouts[], .workloads[],
		.toolchains[], .sessions[], .failures[] | keys)] | add | unique | .[]' "$scratch/doc" |
		grep -v '^of_the_future$' >"$scratch/members"
	missing=
	while read -r member; do
		grep -q "\`\(settings\.\)\{0,1\}$member\`" archive/README.md || missing="$missing README.md:$member"
		grep -q "\"$member\": " archive/schema/record-1.json || missing="$missing schema:$member"
	done <"$scratch/members"
	[ -s "$scratch/members" ] && [ -z "$missing" ]
	report $? "every member is in README.md and in the schema$missing"
elif have python3; then
	python3 -c 'import json, sys; json.load(sys.stdin)' <"$scratch/doc"
	report $? 'python3 reads it'
else
	report 0 'neither jq nor python3 here: JSON not parsed by another program # SKIP'
fi

if have python3 && python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
	cat >"$scratch/validate.py" <<'END'
import copy, json, sys
import jsonschema
schema = json.load(open("archive/schema/record-1.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
document = json.load(open(sys.argv[1]))
validator.validate(document)
bad = copy.deepcopy(document)
bad["samples"]["value"][0] = 0
assert not validator.is_valid(bad), "a value of 0"
bad = copy.deepcopy(document)
del bad["builds"][0]["cell"]
assert not validator.is_valid(bad), "a build without cell"
bad = copy.deepcopy(document)
bad["samples"]["elapsed_ns"][0] = -1
assert not validator.is_valid(bad), "a negative time"
END
	python3 "$scratch/validate.py" "$scratch/doc"
	report $? 'the document is valid by schema/record-1.json, and spoiled ones are not'
else
	report 0 'no python3 with jsonschema here: schema not tried # SKIP'
fi

echo "1..$n"
[ "$failures" -eq 0 ]
