# isa_x86.awk - the instruction sets of a disassembly, by mnemonics, registers and the first bytes of the encoding.
#
#	objdump -d -z -M intel --insn-width=16 FILE | awk -f isa_x86.awk
#
# Prints "SET COUNT" lines, sets beyond the baseline only, by the names of gcc's options, and "vector BITS". Written from
# the manuals' lists of instructions (Intel SDM volume 2, AMD APM volumes 3 and 4), not from what flagstone decodes
# with. What objdump calls (bad) is left out.

BEGIN {
	add("sse3", "addsubpd addsubps haddpd haddps hsubpd hsubps lddqu movddup movshdup movsldup fisttp")
	add("ssse3", "pabsb pabsw pabsd palignr phaddd phaddsw phaddw phsubd phsubsw phsubw pmaddubsw pmulhrsw pshufb psignb psignd psignw")
	add("sse4.1", "blendpd blendps blendvpd blendvps dppd dpps extractps insertps movntdqa mpsadbw packusdw pblendvb pblendw pcmpeqq")
	add("sse4.1", "pextrb pextrd pextrq phminposuw pinsrb pinsrd pinsrq pmaxsb pmaxsd pmaxud pmaxuw pminsb pminsd pminud pminuw")
	add("sse4.1", "pmovsxbw pmovsxbd pmovsxbq pmovsxwd pmovsxwq pmovsxdq pmovzxbw pmovzxbd pmovzxbq pmovzxwd pmovzxwq pmovzxdq")
	add("sse4.1", "pmuldq pmulld ptest roundpd roundps roundsd roundss")
	add("sse4.2", "pcmpestri pcmpestrm pcmpistri pcmpistrm pcmpgtq crc32 pcmpestriq pcmpestrmq")
	add("popcnt", "popcnt")
	add("lzcnt", "lzcnt")
	add("movbe", "movbe")
	add("sse4a", "extrq insertq movntsd movntss")
	add("aes", "aesenc aesenclast aesdec aesdeclast aesimc aeskeygenassist")
	add("pclmul", "pclmulqdq pclmullqlqdq pclmulhqlqdq pclmullqhqdq pclmulhqhqdq")
	add("sha", "sha1msg1 sha1msg2 sha1nexte sha1rnds4 sha256msg1 sha256msg2 sha256rnds2")
	add("gfni", "gf2p8affineinvqb gf2p8affineqb gf2p8mulb")
	add("cx16", "cmpxchg16b")
	add("sahf", "sahf lahf")
	add("rdtscp", "rdtscp")
	add("rdrnd", "rdrand")
	add("rdseed", "rdseed")
	add("fsgsbase", "rdfsbase rdgsbase wrfsbase wrgsbase")
	add("adx", "adcx adox")
	add("rtm", "xbegin xend xabort xtest")
	add("xsave", "xgetbv xsetbv xsave xsave64 xrstor xrstor64")
	add("xsaveopt", "xsaveopt xsaveopt64")
	add("xsavec", "xsavec xsavec64")
	add("xsaves", "xsaves xsaves64 xrstors xrstors64")
	add("clflushopt", "clflushopt")
	add("clwb", "clwb")
	add("clzero", "clzero")
	add("mwaitx", "monitorx mwaitx")
	add("pku", "rdpkru wrpkru")
	add("rdpid", "rdpid")
	add("rdpru", "rdpru")
	add("shstk", "wrssd wrssq wrussd wrussq rstorssp saveprevssp setssbsy clrssbsy")
	add("movdiri", "movdiri")
	add("movdir64b", "movdir64b")
	add("waitpkg", "tpause umonitor umwait")
	add("enqcmd", "enqcmd enqcmds")
	add("serialize", "serialize")
	add("ptwrite", "ptwrite")
	add("tsxldtrk", "xsusldtrk xresldtrk")
	add("uintr", "clui stui testui uiret senduipi")
	add("kl", "loadiwkey encodekey128 encodekey256 aesenc128kl aesdec128kl aesenc256kl aesdec256kl")
	add("widekl", "aesencwide128kl aesdecwide128kl aesencwide256kl aesdecwide256kl")
	add("3dnow", "femms pavgusb pf2id pf2iw pfacc pfadd pfcmpeq pfcmpge pfcmpgt pfmax pfmin pfmul pfnacc pfpnacc pfrcp pfrcpit1")
	add("3dnow", "pfrcpit2 pfrsqit1 pfrsqrt pfsub pfsubr pi2fd pi2fw pmulhrw pswapd")
	# VEX without vectors, and AMX
	add("bmi", "andn blsi blsmsk blsr")
	add("bmi2", "bzhi mulx pdep pext rorx sarx shlx shrx")
	add("amx-tile", "ldtilecfg sttilecfg tileloadd tileloaddt1 tilestored tilerelease tilezero")
	add("amx-int8", "tdpbssd tdpbsud tdpbusd tdpbuud")
	add("amx-bf16", "tdpbf16ps")
	add("amx-fp16", "tdpfp16ps")
	# XOP's encoding
	add("tbm", "blcfill blci blcic blcmsk blcs blsfill blsic t1mskc tzmsk")
	add("lwp", "llwpcb slwpcb lwpins lwpval")
	n = split("00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f", low, " ")
	for (i = 0; i < 256; i++)
		number[sprintf("%02x", i)] = i
	n = split("66 f2 f3 2e 36 3e 26 64 65 67 f0", list, " ")
	for (i = 1; i <= n; i++)
		is_prefix[list[i]] = 1
	n = split("lock rep repz repnz repe repne bnd notrack data16 addr32 cs ds es ss fs gs xacquire xrelease {evex} {vex} {vex3} {vex2} {disp32} {disp8} {load} {store}", list, " ")
	for (i = 1; i <= n; i++)
		is_word[list[i]] = 1
}

function add(set, mnemonics,    list, n, i)
{
	n = split(mnemonics, list, " ")
	for (i = 1; i <= n; i++)
		set_of[list[i]] = set
}

function found(set)
{
	count[set]++
	if (!(set in first))
		first[set] = line
}

# Bit `bit` of a number; mawk has no bit operations.
function bit_of(value, bit)
{
	return int(value / 2 ^ bit) % 2
}

function mask_set(m,    size, rest)
{
	size = substr(m, length(m))
	rest = substr(m, 1, length(m) - 1)
	if (m == "kunpckbw")
		return "avx512f"
	if (m == "kunpckwd" || m == "kunpckdq" || size == "d" || size == "q")
		return "avx512bw"
	if (size == "b" || rest == "kadd" || rest == "ktest")
		return "avx512dq"
	return "avx512f"
}

function vex(m, ops,    wide)
{
	wide = ops ~ /ymm/
	if (m in set_of && set_of[m] ~ /^(bmi2?|amx-)/) {
		found(set_of[m])
		return
	}
	if (m == "bextr") {
		found("bmi")
		return
	}
	if (m ~ /^k/) {
		found(mask_set(m))
		return
	}
	if (m ~ /^vf(n?m(add|sub)|maddsub|msubadd)(132|213|231)[ps][sd]$/)
		found("fma")
	else if (m ~ /^vf(n?m(add|sub)|maddsub|msubadd)[ps][sd]$/)
		found("fma4")
	else if (m == "vcvtph2ps" || m == "vcvtps2ph")
		found("f16c")
	else if (m ~ /^vpdp(bss|bsu|buu)ds?$/)
		found("avxvnniint8")
	else if (m ~ /^vpdpw(su|us|uu)ds?$/)
		found("avxvnniint16")
	else if (m ~ /^vpdp/)
		found("avxvnni")
	else if (m ~ /^vpmadd52/)
		found("avxifma")
	else if (m ~ /^v(bcstne|cvtne)/)
		found("avxneconvert")
	else if (m ~ /^vsha512/)
		found("sha512")
	else if (m ~ /^vsm3/)
		found("sm3")
	else if (m ~ /^vsm4/)
		found("sm4")
	else if (m ~ /^vaes/) {
		found(wide ? "vaes" : "aes")
		found("avx")
	} else if (m ~ /^vpclmul/) {
		found(wide ? "vpclmulqdq" : "pclmul")
		found("avx")
	} else if (m ~ /^vgf2p8/) {
		found("gfni")
		found("avx")
	} else if (m ~ /^v(pbroadcast|broadcasti|extracti|inserti|perm2i128|permd$|permq$|permps$|permpd$|psllv|psrlv|psrav|pmaskmov|p?gather|pblendd$)/)
		found("avx2")
	else if (m ~ /^vbroadcasts[sd]$/ && ops !~ /\[/)
		found("avx2")
	else if (wide && m ~ /^v(p|movntdqa|mpsadbw)/ && m !~ /^v(ptest|permilp[sd]|perm2f128)$/)
		found("avx2")
	else
		found("avx")
}

function evex_set(m)
{
	if (m ~ /^v4f/)
		return "avx5124fmaps"
	if (m ~ /^vp4dp/)
		return "avx5124vnniw"
	if (m ~ /^v(exp2|rcp28|rsqrt28)/)
		return "avx512er"
	if (m ~ /^v(gather|scatter)pf/)
		return "avx512pf"
	if (m ~ /^vpmadd52/)
		return "avx512ifma"
	if (m ~ /^vp(ermb|ermi2b|ermt2b|multishiftqb)$/)
		return "avx512vbmi"
	if (m ~ /^vp(compress[bw]|expand[bw]|shld|shrd)/)
		return "avx512vbmi2"
	if (m ~ /^vpdp/)
		return "avx512vnni"
	if (m ~ /^vp(opcnt[bw]|shufbitqmb)$/)
		return "avx512bitalg"
	if (m ~ /^vpopcnt[dq]$/)
		return "avx512vpopcntdq"
	if (m ~ /^vp2intersect/)
		return "avx512vp2intersect"
	if (m ~ /^v(cvtne2?ps2bf16|dpbf16ps)/)
		return "avx512bf16"
	if (m !~ /^vp/ && m != "vcvtph2ps" && m != "vcvtps2ph" && (m ~ /ph|sh$|sh2/ || m == "vmovw"))
		return "avx512fp16"
	if (m ~ /^vp(conflict|lzcnt|broadcastm)/)
		return "avx512cd"
	if (m ~ /^v(andn?|x?or)p[sd]$/ || m ~ /^v(broadcast|extract|insert)[fi](32x2|64x2|32x8)$/ ||
	    m ~ /^vcvtt?p[sd]2u?qq$/ || m ~ /^vcvtu?qq2p[sd]$/ || m ~ /^v(fpclass|range|reduce)/ ||
	    m ~ /^vp(mov[dq]2m|movm2[dq]|mullq|extr[dq]|insr[dq])$/)
		return "avx512dq"
	if (m ~ /^vp(abs|adds?|addus|avg|blendm|broadcast|max[su]|min[su]|subs?|subus|testn?m|extr|insr)[bw]$/ ||
	    m ~ /^vpcmp(eq|gt|lt|le|neq|nlt|nle|)u?[bw]$/ || m ~ /^vpack[su]s/ || m ~ /^vp(alignr|ermw|ermi2w|ermt2w|sadbw|shufb|shufhw|shuflw)$/ ||
	    m ~ /^vpmadd(ubsw|wd)$/ || m ~ /^vpmov([bw]2m|m2[bw]|u?s?wb|[sz]xbw)$/ || m ~ /^vpmul(hrs|hu|h|l)w$/ ||
	    m ~ /^vps(ll|rl)dq$/ || m ~ /^vps(ll|ra|rl)v?w$/ || m ~ /^vpunpck[hl](bw|wd)$/ || m == "vdbpsadbw" ||
	    m ~ /^vmovdqu(8|16)$/)
		return "avx512bw"
	return "avx512f"
}

# Works on the lowest element, or on memory and general registers: no length of vector is meant.
function is_scalar(m)
{
	if (m ~ /^vbroadcasts[sd]$/)
		return 0
	if (m ~ /^vp(extr|insr)/)
		return 1
	if (m ~ /^vp/)
		return 0
	return m ~ /s[sdh]$/ || m ~ /^vcvtt?s[sdh]2/ || m ~ /^vmov[dqw]$/ ||
	       m ~ /^v(extract|insert)ps$/ || m ~ /^vmov(lps|lpd|hps|hpd|hlps|lhps)$/
}

function evex(m, ops, at,    payload, modrm, length_bits)
{
	if (m ~ /^vaes/) {
		found("vaes")
		found("avx512f")
	} else if (m ~ /^vpclmul/) {
		found("vpclmulqdq")
		found("avx512f")
	} else if (m ~ /^vgf2p8/) {
		found("gfni")
		found("avx512f")
	} else {
		found(evex_set(m))
	}
	payload = number[byte[at + 3]]
	modrm = number[byte[at + 5]]
	length_bits = 2 * bit_of(payload, 6) + bit_of(payload, 5)
	if (bit_of(payload, 4) && modrm >= 192)
		length_bits = 2 # rounding in the instruction takes the place of the length
	if (length_bits < 2 && !is_scalar(m))
		found("avx512vl")
}

function legacy(m, hex)
{
	if (m in set_of && set_of[m] !~ /^(bmi2?|amx-|tbm|lwp)/)
		found(set_of[m])
	else if (m == "pextrw" && hex ~ /0f 3a 15/)
		found("sse4.1")
}

{
	line = $0
	n = split($0, part, "\t")
	if (n < 3 || part[1] !~ /^ *[0-9a-f]+:$/ || part[3] ~ /\(bad\)/)
		next
	bytes = split(part[2], byte, " ")
	words = split(part[3], word, " ")
	w = 1
	while (w < words && (word[w] in is_word || word[w] ~ /^rex/))
		w++
	m = word[w]
	ops = ""
	for (i = w + 1; i <= words; i++)
		ops = ops " " word[i]
	sub(/ *#.*/, "", ops)
	at = 1
	while (at < bytes && byte[at] in is_prefix)
		at++
	if (at < bytes && byte[at] ~ /^4/)
		at++
	b = byte[at]
	if (b == "62")
		evex(m, ops, at)
	else if (b == "c4" || b == "c5")
		vex(m, ops)
	else if (b == "8f" && number[byte[at + 1]] % 32 >= 8)
		found(m == "bextr" ? "tbm" : m in set_of ? set_of[m] : "xop")
	else
		legacy(m, part[2])
	lower = tolower(ops)
	if (lower ~ /zmm/)
		bits = 512
	else if (lower ~ /ymm/)
		bits = 256
	else if (lower ~ /xmm[0-9]/)
		bits = 128
	else
		bits = 0
	if (bits > most)
		most = bits
}

END {
	for (set in count)
		print set, count[set] (examples ? "\t" first[set] : "")
	print "vector", most + 0
}
