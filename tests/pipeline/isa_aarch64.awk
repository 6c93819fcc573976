# isa_aarch64.awk - the instruction sets of a disassembly, by mnemonics and registers. See isa_x86.awk.
#
#	aarch64-linux-gnu-objdump -d -z -M no-aliases FILE | awk -f isa_aarch64.awk
#
# Written from the lists of instructions of the Arm ARM (DDI 0487, chapters C6, C7, C8). Of SVE2 it knows what compilers
# write; other instructions on Z registers count as sve.

BEGIN {
	add("aes", "aese aesd aesmc aesimc")
	add("sha3", "eor3 rax1 xar bcax")
	add("dotprod", "sdot udot")
	add("i8mm", "smmla ummla usmmla usdot sudot")
	add("fcma", "fcmla fcadd")
	add("jscvt", "fjcvtzs")
	add("frintts", "frint32x frint32z frint64x frint64z")
	add("fp16fml", "fmlal fmlal2 fmlsl fmlsl2")
	add("rdma", "sqrdmlah sqrdmlsh")
	add("rcpc", "ldapr ldaprb ldaprh")
	add("rcpc2", "ldapur ldapurb ldapurh ldapursb ldapursh ldapursw stlur stlurb stlurh")
	add("flagm", "cfinv rmif setf8 setf16")
	add("flagm2", "axflag xaflag")
	add("sb", "sb")
	add("lor", "ldlar ldlarb ldlarh stllr stllrb stllrh")
	add("memtag", "irg gmi addg subg subp subps stg st2g stzg stz2g ldg ldgm stgm stzgm stgp")
	add("pauth", "braa brab braaz brabz blraa blrab blraaz blrabz retaa retab ldraa ldrab pacga pacia pacib pacda pacdb autia")
	add("pauth", "autib autda autdb paciza pacizb pacdza pacdzb autiza autizb autdza autdzb xpaci xpacd")
	add("sve2", "addhnb addhnt bcax bsl bsl1n bsl2n cadd cdot cmla eor3 eorbt eortb faddp fcvtlt fcvtnt fcvtx fcvtxnt flogb fmaxnmp")
	add("sve2", "fmaxp fminnmp fminp fmlalb fmlalt fmlslb fmlslt histcnt histseg match nbsl nmatch raddhnb raddhnt rshrnb rshrnt")
	add("sve2", "rsubhnb rsubhnt saba sabalb sabalt sabdlb sabdlt sadalp saddlb saddlbt saddlt saddwb saddwt shadd shrnb shrnt")
	add("sve2", "shsub sli smaxp sminp smlalb smlalt smlslb smlslt smullb smullt sqabs sqcadd sqdmlalb sqdmlalbt sqdmlalt sqdmulh")
	add("sve2", "sqdmullb sqdmullt sqneg sqrdcmlah sqrdmlah sqrdmlsh sqrdmulh sqrshl sqrshrnb sqrshrnt sqrshrunb sqrshrunt sqshl")
	add("sve2", "sqshlu sqshrnb sqshrnt sqshrunb sqshrunt sqxtnb sqxtnt sqxtunb sqxtunt srhadd sri srshl srshlr srshr srsra")
	add("sve2", "sshllb sshllt ssra ssublb ssublbt ssublt ssubwb ssubwt subhnb subhnt suqadd tbx uaba uabalb uabalt uabdlb uabdlt")
	add("sve2", "uadalp uaddlb uaddlt uaddwb uaddwt uhadd uhsub umaxp uminp umlalb umlalt umlslb umlslt umullb umullt uqrshl")
	add("sve2", "uqrshrnb uqrshrnt uqshl uqshrnb uqshrnt uqxtnb uqxtnt urhadd urshl urshlr urshr ursra ushllb ushllt usqadd usra")
	add("sve2", "usublb usublt usubwb usubwt whilege whilegt whilehi whilehs whilerw whilewr xar adclb adclt sbclb sbclt pmul")
}

function add(set, mnemonics,    list, n, i)
{
	n = split(mnemonics, list, " ")
	for (i = 1; i <= n; i++)
		set_of[set, list[i]] = 1
}

function found(set)
{
	count[set]++
	if (!(set in first))
		first[set] = $0
}

function scalable(m, ops)
{
	if (m ~ /^(smmla|ummla|usmmla|usdot|sudot)$/) {
		found("sve")
		found("i8mm")
	} else if (m ~ /^bf/) {
		found("sve")
		found("bf16")
	} else if (m == "fmmla") {
		found(ops ~ /z[0-9]+\.d/ ? "f64mm" : "f32mm")
	} else if (m ~ /^(aes[ed]|aesi?mc)$/ || (m ~ /^pmull[bt]$/ && ops ~ /\.q/)) {
		found("sve2-aes")
	} else if (m ~ /^(bext|bdep|bgrp)$/) {
		found("sve2-bitperm")
	} else if (m == "rax1") {
		found("sve2-sha3")
	} else if (m ~ /^sm4/) {
		found("sve2-sm4")
	} else if ((m == "mul" || m == "smulh" || m == "umulh") && ops !~ /p[0-9]/ && ops !~ /#/) {
		found("sve2") # without a predicate
	} else if (m == "mul" && ops ~ /\[/ || (m == "mla" || m == "mls") && ops ~ /\[/) {
		found("sve2") # by an element
	} else if (m ~ /^pmull[bt]$/ || ("sve2", m) in set_of) {
		found("sve2")
	} else if ((m == "ext" || m == "splice" || m == "tbl") && ops ~ /\{z[0-9]+\.[bhsd], z/) {
		found("sve2") # of two registers
	} else {
		found("sve")
	}
}

function half(m, ops)
{
	if (m ~ /^fcvt(n2?|l2?)$/ || m ~ /^bf/)
		return 0
	if (m !~ /^(f|scvtf|ucvtf)/)
		return 0
	if (m == "fcvt")
		return 0
	return ops ~ /(^|[ ,])h[0-9]/ || ops ~ /v[0-9]+\.[48]?h/
}

function fixed(m, ops,    i, n, sets)
{
	if (m ~ /^casp?(a|l|al)?[bh]?$/ || m ~ /^swp(a|l|al)?[bh]?$/ || m ~ /^(ld|st)(add|clr|eor|set|[su]max|[su]min)(a|l|al)?[bh]?$/)
		found("lse")
	else if (m ~ /^crc32/)
		found("crc")
	else if (m ~ /^pmull2?$/ && ops ~ /\.1q/)
		found("pmull")
	else if (m ~ /^sha1/)
		found("sha1")
	else if (m ~ /^sha256/)
		found("sha2")
	else if (m ~ /^sha512/)
		found("sha512")
	else if (m ~ /^sm3/)
		found("sm3")
	else if (m ~ /^sm4/)
		found("sm4")
	else if (m ~ /^bf(dot|mmla|mlalb|mlalt|cvt|cvtn|cvtn2)$/)
		found("bf16")
	else if (m == "mrs" && ops ~ /rndr/)
		found("rng")
	else if (m == "dc" && ops ~ /cvap/)
		found("dpb")
	else {
		n = split("aes sha3 dotprod i8mm fcma jscvt frintts fp16fml rdma rcpc rcpc2 flagm flagm2 sb lor memtag pauth", sets, " ")
		for (i = 1; i <= n; i++)
			if ((sets[i], m) in set_of) {
				found(sets[i])
				return
			}
		if (half(m, ops))
			found("fp16")
	}
}

{
	n = split($0, part, "\t")
	if (n < 3 || part[1] !~ /^ *[0-9a-f]+:$/ || part[3] ~ /^\.|undefined/)
		next
	m = part[3]
	sub(/ +$/, "", m)
	ops = n > 3 ? part[4] : ""
	sub(/[ \t]*\/\/.*/, "", ops)
	if (ops ~ /(^|[ ,{\[])[zp][0-9]+[.\/, }]/ || ops ~ /(^|[ ,{\[])[zp][0-9]+$/ ||
	    m ~ /^(cnt[bhwd]|addvl|addpl|rdvl|inc[bhwdp]|dec[bhwdp]|[su]q(inc|dec)[bhwdp]|while..|cterm(eq|ne)|setffr)$/)
		scalable(m, ops)
	else
		fixed(m, ops)
}

END {
	for (set in count)
		print set, count[set] (examples ? "\t" first[set] : "")
}
