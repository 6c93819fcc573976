#!/bin/sh
# run_one.sh FOLDER TEST - runs one cmocka program or TAP script for tests/run.sh, which keeps several of them going.
# What came of it is in FOLDER/TEST (without $OUT): out, err, code, ms, xml/ (cmocka's results and times).
set -u
ran="$1/${2#"$OUT/"}"
mkdir -p "$ran/xml" "$ran/tmp" "$ran/lock" || exit 3
begin=$(date +%s%N)
case $2 in
*.sh) # runs of flagstone in one script exclude each other, those of two scripts need not
	FLAGSTONE_LOCK_FOLDER="$ran/lock" TMPDIR="$ran/tmp" sh "$2" >"$ran/out" 2>"$ran/err" </dev/null
	;;
*) # cmocka cannot print to the terminal and write times at once; the XML holds both
	CMOCKA_MESSAGE_OUTPUT=xml CMOCKA_XML_FILE="$ran/xml/%g.xml" "$2" >"$ran/out" 2>&1 </dev/null
	;;
esac
echo $? >"$ran/code"
echo $((($(date +%s%N) - begin) / 1000000)) >"$ran/ms"
rm -rf "$ran/tmp"
