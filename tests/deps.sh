#!/bin/sh
# Finds what the build (or with `check` the tests, with `lint` the linters) needs and is missing, and installs it
# with apt-get, through sudo where needed. Where it may not, it prints the command for this and other package
# managers and ends with 3.
set -u

kind=${1:-build}
missing_debian='' missing_fedora='' missing_arch='' missing_alpine=''

need() { # need TEST DEBIAN FEDORA ARCH ALPINE: notes the packages when the test command fails
	if ! sh -c "$1" >/dev/null 2>&1; then
		missing_debian="$missing_debian $2"
		missing_fedora="$missing_fedora $3"
		missing_arch="$missing_arch $4"
		missing_alpine="$missing_alpine $5"
	fi
}
missing_wanted=''
want() { # want TEST DEBIAN: what flagstone can do without; installed where that is easy, and said where it is not
	if ! sh -c "$1" >/dev/null 2>&1; then
		missing_wanted="$missing_wanted $2"
	fi
}
need_library() { need "pkg-config --exists $1" "$2" "$3" "$4" "$5"; }
need_program() { need "command -v $1" "$2" "$3" "$4" "$5"; }

need_program pkg-config pkg-config pkgconf-pkg-config pkgconf pkgconf
need_program gcc gcc gcc gcc gcc
need 'echo "#include <stdio.h>" | gcc -E -' libc6-dev glibc-devel glibc musl-dev
need_program ar binutils binutils binutils binutils
need_library libgit2 libgit2-dev libgit2-devel libgit2 libgit2-dev
need_library zlib zlib1g-dev zlib-devel zlib zlib-dev
need_library jansson libjansson-dev jansson-devel jansson jansson-dev
need_library libelf libelf-dev elfutils-libelf-devel libelf elfutils-dev
need_library yaml-0.1 libyaml-dev libyaml-devel libyaml yaml-dev
want "printf '#include <Zydis/Zydis.h>\n#if ZYDIS_VERSION_MAJOR(ZYDIS_VERSION) < 4\n#error\n#endif\n' | gcc -E -x c -" libzydis-dev
if [ "$kind" = build ] || [ "$kind" = check ]; then
	# the quick matrix compares gcc with clang
	need_program clang clang clang clang clang
	need 'command -v llvm-ar || ls /usr/lib/llvm-*/bin/llvm-ar' llvm llvm llvm llvm
fi
if [ "$kind" = check ]; then
	need_library cmocka libcmocka-dev libcmocka-devel cmocka cmocka-dev
	need_program git git git git git
	need_program tcc tcc tcc tcc tcc
	need_program musl-gcc musl-tools musl-gcc musl musl-dev
	need_program ccache ccache ccache ccache ccache
	need_program jq jq jq jq jq
	# clang's sanitizers
	# shellcheck disable=SC2016 # need's shell expands it
	need 'ls "$(clang -print-runtime-dir)"/*asan* || ls "$(clang -print-resource-dir)"/lib/*/*asan*' libclang-rt-dev compiler-rt compiler-rt compiler-rt
	# simulated CPUs for real compilers
	need_program qemu-x86_64 qemu-user qemu-user qemu-user qemu-x86_64
fi
if [ "$kind" = compilers ]; then
	for compiler in gcc-11 gcc-12 clang-13 clang-14 clang-15 clang-16 clang-19; do
		# the other systems have one version of each: what is there is asked
		command -v apt-get >/dev/null && need_program "$compiler" "$compiler" "" "" ""
	done
fi
if [ "$kind" = lint ]; then
	need_program clang-tidy clang-tidy clang-tools-extra clang clang-extra-tools
	need_program clang-format clang-format clang-tools-extra clang clang-extra-tools
	need_program clang clang clang clang clang
	need_program cppcheck cppcheck cppcheck cppcheck cppcheck
	need_program shellcheck shellcheck ShellCheck shellcheck shellcheck
fi

# Never a reason to end: what is not to be had stays away.
install_wanted() {
	if [ "$(id -u)" = 0 ]; then
		with=
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		with=sudo
	else
		return 1
	fi
	# shellcheck disable=SC2086 # the lists are words
	command -v apt-cache >/dev/null 2>&1 && apt-cache show $missing_wanted >/dev/null 2>&1 &&
		$with env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing_wanted >/dev/null 2>&1
}
missing_wanted=${missing_wanted# }
if [ -n "$missing_wanted" ] && ! install_wanted; then
	echo "without $missing_wanted: which instruction sets x86-64 code uses stays unknown (sudo apt-get install $missing_wanted)" >&2
fi

missing_debian=${missing_debian# }
[ -n "$missing_debian" ] || exit 0

advice() {
	echo "flagstone needs packages that are missing here: $missing_debian" >&2
	echo "  Debian, Ubuntu:  sudo apt-get install $missing_debian" >&2
	echo "  Fedora:          sudo dnf install$missing_fedora" >&2
	echo "  Arch:            sudo pacman -S$missing_arch" >&2
	echo "  Alpine:          sudo apk add$missing_alpine" >&2
	echo "then run the same make command again." >&2
	exit 3
}

command -v apt-get >/dev/null 2>&1 || advice
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
	as_root=sudo
else
	advice
fi
echo "installing: $missing_debian" >&2
log=$(mktemp) || exit 3
install_packages() {
	# shellcheck disable=SC2086 # the lists are words
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing_debian >"$log" 2>&1
}
if ! install_packages; then
	$as_root apt-get update >"$log" 2>&1
	if ! install_packages; then
		tail -n 20 "$log" >&2
		rm -f "$log"
		advice
	fi
fi
rm -f "$log"
