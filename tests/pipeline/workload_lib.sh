# workload_lib.sh - what the tests of the built-in workloads share. Sourced, from the repository's root folder:
#
#	. tests/pipeline/workload_lib.sh
#
# Reporting (TAP):
#	tap_ok TEXT, tap_not_ok TEXT, tap_skip TEXT REASON   one numbered line each
#	tap_is GOT WANT TEXT                                 ok when both are the same text, else shows both
#	tap_note TEXT                                        a comment line
#	tap_run_code CODE                                    prints a run's exit code, but 0 for 5: how much a busy machine
#	                                                     can decide is not what most tests are about
#	tap_end                                              prints the plan; non-zero when something was not ok
#	newest_record ARCHIVE       the path of the record that was written last
# Workloads:
#	wl_yaml NAME KEY            value of a plain top-level key of workload.yaml, or of KEY = check.units and the like
#	wl_sources NAME             its source files, one a line, with their path
#	wl_driver CC                the driver's object at -O2, in $scratch: made once for each compiler, in $wl_object; what
#	                            the compiler said is in $wl_object.log
#	wl_build OUT NAME CC FLAG.. the driver at -O2, the workload's sources with FLAG.., linked to OUT; objects are
#	                            kept in OUT.d. What the compiler said is in OUT.log, shown when it failed.
#	wl_build_all FOLDER CC NAMES FLAG..  builds of several workloads at once, to FOLDER/NAME
#	wl_built OUT                whether wl_build_all made it; shows what the compiler said when not
#	wl_run BIN ARG..             runs and prints the result line, which is the only thing on standard output
#	wl_field LINE NAME          a field of a result line
#	wl_agrees GOT WANT REL      whether check values agree (see workload.yaml): text when REL is 0, else numbers
#	wl_calibrated BIN NS [ARG..] units that take at least NS nanoseconds
# Checks that print one TAP line each, TEXT in front:
#	wl_test_check BIN NAME TEXT            the check value for the units that workload.yaml states
#	wl_test_doubling BIN UNITS TEXT [ARG..] twice the units take twice the time
#	wl_test_refused BIN TEXT ARG..          exit 64, a message, and nothing on standard output
# shellcheck shell=sh

LC_ALL=C
TZ=UTC
export LC_ALL TZ

tap_count=0
tap_failures=0

tap_ok()
{
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s\n' "$tap_count" "$1"
}

tap_not_ok()
{
	tap_count=$((tap_count + 1))
	tap_failures=$((tap_failures + 1))
	printf 'not ok %d - %s\n' "$tap_count" "$1"
}

tap_skip()
{
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

tap_run_code()
{
	if [ "$1" = 5 ]; then echo 0; else echo "$1"; fi
}

tap_note()
{
	printf '%s\n' "$1" | sed 's/^/# /'
}

tap_is()
{
	if [ "$1" = "$2" ]; then
		tap_ok "$3"
	else
		tap_not_ok "$3"
		tap_note "got  $1"
		tap_note "want $2"
	fi
}

tap_end()
{
	printf '1..%d\n' "$tap_count"
	if [ "$tap_failures" -ne 0 ]; then
		tap_note "$tap_failures of $tap_count failed"
		return 1
	fi
	return 0
}

newest_record()
{
	# names of two runs in one second do not tell which was first
	find "$1" -name '*.json.gz' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-
}

# Reads only the shapes that our own files use: `key: value` and `key: {a: x, b: "y"}`, each on one line.
wl_yaml()
{
	awk -v key="$2" '
	BEGIN {
		n = split(key, part, ".")
	}
	index($0, part[1] ":") == 1 {
		text = substr($0, length(part[1]) + 2)
		if (n == 2) {
			at = match(text, "[{,][ \t]*" part[2] ":[ \t]*")
			if (!at)
				exit
			text = substr(text, RSTART + RLENGTH)
			if (substr(text, 1, 1) == "\"") {
				text = substr(text, 2)
				sub(/".*$/, "", text)
			} else {
				sub(/[ \t]*[,}].*$/, "", text)
			}
		} else {
			sub(/[ \t]+#.*$/, "", text)
			gsub(/^[ \t]+|[ \t]+$/, "", text)
			gsub(/^"|"$/, "", text)
		}
		print text
		exit
	}' "workloads/$1/workload.yaml"
}

wl_sources()
{
	wl_yaml "$1" sources | tr -d '[]' | tr -s ', ' '\n' | sed -n "s|^..*|workloads/$1/&|p"
}

wl_driver()
{
	wl_object="${scratch:?a folder}/driver.$(printf '%s' "$1" | tr -c 'A-Za-z0-9' '_').o"
	[ -e "$wl_object" ] && return 0
	# $1 is a list of words
	# shellcheck disable=SC2086
	$1 -O2 -Iworkloads/driver -c workloads/driver/driver.c -o "$wl_object" >"$wl_object.log" 2>&1 && return 0
	rm -f "$wl_object"
	return 1
}

wl_build()
{
	wl_try_build "$@" && return 0
	tap_note "$(cat "$1.log")"
	return 1
}

# Its sources are compiled all at once.
wl_try_build()
{
	wl_out=$1
	wl_name=$2
	wl_cc=$3
	shift 3
	rm -rf "$wl_out" "$wl_out.d"
	mkdir -p "$wl_out.d"
	if ! wl_driver "$wl_cc"; then
		cp "$wl_object.log" "$wl_out.log"
		return 1
	fi
	cp "$wl_object.log" "$wl_out.log"
	wl_objects=$wl_object
	wl_compilers=
	for wl_source in $(wl_sources "$wl_name"); do
		wl_object="$wl_out.d/$(basename "$wl_source").o"
		# $wl_cc, the objects and the libraries are lists of words
		# shellcheck disable=SC2046,SC2086
		$wl_cc "$@" -Iworkloads/driver $(wl_yaml "$wl_name" cflags) -c "$wl_source" -o "$wl_object" \
			>"$wl_object.log" 2>&1 &
		wl_compilers="$wl_compilers $!"
		wl_objects="$wl_objects $wl_object"
	done
	wl_failed=
	for wl_compiler in $wl_compilers; do
		wait "$wl_compiler" || wl_failed=yes
	done
	cat "$wl_out.d/"*.log >>"$wl_out.log"
	[ -z "$wl_failed" ] || return 1
	# shellcheck disable=SC2046,SC2086
	$wl_cc "$@" -o "$wl_out" $wl_objects $(wl_yaml "$wl_name" ldlibs) >>"$wl_out.log" 2>&1
}

wl_build_all()
{
	wl_folder=$1
	wl_cc=$2
	wl_names=$3
	shift 3
	wl_driver "$wl_cc" # not by each of them at once; when it cannot be built, each says so
	wl_builders=
	for wl_name in $wl_names; do
		rm -f "$wl_folder/$wl_name.built"
		(wl_try_build "$wl_folder/$wl_name" "$wl_name" "$wl_cc" "$@" && : >"$wl_folder/$wl_name.built") &
		wl_builders="$wl_builders $!"
	done
	# shellcheck disable=SC2086 # numbers of processes
	wait $wl_builders
}

wl_built()
{
	[ -e "$1.built" ] && return 0
	tap_note "$(cat "$1.log")"
	return 1
}

# What else a workload prints goes to standard error, so that the line stands alone.
wl_run()
{
	"$@" 3>&1 1>&2
}

wl_field()
{
	printf '%s\n' "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"
}

wl_agrees()
{
	if [ "$3" = 0 ]; then
		[ "$1" = "$2" ]
		return
	fi
	awk -v got="$1" -v want="$2" -v rel="$3" 'BEGIN {
		n = split(got, g, ",")
		if (n != split(want, w, ",") || n == 0)
			exit 1
		for (i = 1; i <= n; i++) {
			if (g[i] !~ /^-?[0-9]/)
				exit 1
			d = g[i] - w[i]
			if (d < 0)
				d = -d
			limit = rel * (w[i] < 0 ? -w[i] : w[i])
			if (!(d <= limit))
				exit 1
		}
	}'
}

wl_calibrated()
{
	wl_bin=$1
	wl_ns=$2
	shift 2
	wl_field "$(wl_run "$wl_bin" "calibrate=$wl_ns" "$@")" units
}

wl_test_check()
{
	wl_units=$(wl_yaml "$2" check.units)
	wl_want=$(wl_yaml "$2" check.value)
	if ! wl_line=$(wl_run "$1" "units=$wl_units"); then
		tap_not_ok "$3: check value of $wl_units units"
		tap_note "the run failed"
		return
	fi
	wl_got=$(wl_field "$wl_line" check)
	if [ -n "$wl_want" ] && wl_agrees "$wl_got" "$wl_want" "$(wl_yaml "$2" check.rel)"; then
		tap_ok "$3: check value of $wl_units units"
	else
		tap_not_ok "$3: check value of $wl_units units"
		tap_note "got  $wl_got"
		tap_note "want $wl_want"
	fi
}

# Times are minima over the runs so far. Disturbances only lengthen a run, so more runs bring the ratio nearer
# to the true one, the sooner the shorter they are: one that is shorter than a scheduler's turn is often left alone.
# A machine that stays noisy gets the wide window. Without their work, units take no time, and the ratio is about 1.
wl_test_doubling()
{
	wl_bin=$1
	wl_units=$2
	wl_text=$3
	shift 3
	wl_once=
	wl_twice=
	wl_round=0
	# ahead of whatever else runs, where that is allowed: these runs are short, and timed
	wl_first="nice -n -20"
	$wl_first true 2>"$wl_bin.nice" && [ ! -s "$wl_bin.nice" ] || wl_first=
	while :; do
		wl_round=$((wl_round + 1))
		# shellcheck disable=SC2034
		for wl_try in 1 2 3; do
			# shellcheck disable=SC2086
			if ! wl_a=$(wl_run $wl_first "$wl_bin" "units=$wl_units" "$@") ||
				! wl_b=$(wl_run $wl_first "$wl_bin" "units=$((2 * wl_units))" "$@"); then
				tap_not_ok "$wl_text: twice the units take twice the time"
				tap_note "the run failed"
				return
			fi
			wl_a=$(wl_field "$wl_a" elapsed_ns)
			wl_b=$(wl_field "$wl_b" elapsed_ns)
			if [ -z "$wl_once" ] || [ "$wl_a" -lt "$wl_once" ]; then
				wl_once=$wl_a
			fi
			if [ -z "$wl_twice" ] || [ "$wl_b" -lt "$wl_twice" ]; then
				wl_twice=$wl_b
			fi
		done
		wl_verdict=$(awk -v a="$wl_once" -v b="$wl_twice" 'BEGIN {
			r = a > 0 ? b / a : 0
			v = "out"
			if (r >= 1.7 && r <= 2.4)
				v = "wide"
			if (r >= 1.9 && r <= 2.1)
				v = "narrow"
			printf "%s %.3f", v, r
		}')
		case $wl_verdict in
		narrow*)
			tap_ok "$wl_text: twice the units take twice the time"
			return
			;;
		esac
		case $wl_round$wl_verdict in
		4wide* | 12*) break ;;
		6*) # where others use the CPUs, longer runs get a share that is more even
			wl_units=$((8 * wl_units))
			wl_once=
			wl_twice=
			;;
		esac
	done
	case $wl_verdict in
	wide*)
		tap_ok "$wl_text: twice the units take twice the time"
		tap_note "only roughly: ${wl_verdict#* }"
		;;
	*)
		tap_not_ok "$wl_text: twice the units take twice the time"
		tap_note "$wl_units units $wl_once ns, $((2 * wl_units)) units $wl_twice ns: ${wl_verdict#* }"
		;;
	esac
}

wl_test_refused()
{
	wl_bin=$1
	wl_text=$2
	shift 2
	wl_said=$("$wl_bin" "$@" 3>&- 2>&1 >"$wl_bin.refused")
	wl_status=$?
	if [ "$wl_status" -eq 64 ] && [ -n "$wl_said" ] && [ ! -s "$wl_bin.refused" ]; then
		tap_ok "$wl_text: refused: $*"
	else
		tap_not_ok "$wl_text: refused: $*"
		tap_note "exit $wl_status: $wl_said"
	fi
}
