/*
 * program.c - the program that bytecode interprets, about 9,400 instructions a run, in four parts whose
 * results are folded into r[1] as r[1] = 33 r[1] + part:
 *
 *  1. a sieve over 2 ... 255: memory[i] becomes the largest prime factor of a composite i, 0 for a prime;
 *     the part is the number of primes;
 *  2. the number of Collatz steps from (input modulo 2^16) | 1 down to 1;
 *  3. 48 values of a 32-bit xorshift generator (13, 17, 5), which starts from input | 1, each shifted right
 *     by 20, insertion-sorted in memory[256 ...]; the part is 48 parts, the values in rising order;
 *  4. the tenth Fibonacci number, by recursion.
 */
#include "machine.h"

/* The registers, by what they mostly hold. */
enum { INPUT, RESULT, ONE, LIMIT, I, J, T, X, COUNT, BASE, END, FACTOR };

/* Not an instruction: marks the next one as label c. Jumps name labels until program_assemble() is through. */
#define OP_LABEL 255

enum label {
	CLEAR,
	PRIME,
	STRIKE_TEST,
	STRIKE,
	NEXT,
	COLLATZ,
	EVEN,
	COLLATZ_TEST,
	INSERT,
	SHIFT,
	PLACE,
	FOLD,
	FIBONACCI,
	LEAF,
	LABELS
};

static const struct instruction source[] = {
	{OP_SET, ONE, 1, 0},
	{OP_SET, FACTOR, 33, 0},
	/* 1: the sieve; LIMIT is 256 */
	{OP_SET, LIMIT, 0, 1},
	{OP_SET, I, 0, 0},
	{OP_SET, T, 0, 0},
	{OP_LABEL, 0, 0, CLEAR},
	{OP_STORE, T, I, 0},
	{OP_ADD_I, I, I, 1},
	{OP_JUMP_LT, I, LIMIT, CLEAR},
	{OP_SET, I, 2, 0},
	{OP_SET, RESULT, 0, 0},
	{OP_LABEL, 0, 0, PRIME},
	{OP_LOAD, T, I, 0},
	{OP_JUMP_NZ, T, 0, NEXT},
	{OP_ADD_I, RESULT, RESULT, 1},
	{OP_ADD, J, I, I},
	{OP_JUMP, 0, 0, STRIKE_TEST},
	{OP_LABEL, 0, 0, STRIKE},
	{OP_STORE, I, J, 0},
	{OP_ADD, J, J, I},
	{OP_LABEL, 0, 0, STRIKE_TEST},
	{OP_JUMP_LT, J, LIMIT, STRIKE},
	{OP_LABEL, 0, 0, NEXT},
	{OP_ADD_I, I, I, 1},
	{OP_JUMP_LT, I, LIMIT, PRIME},
	/* 2: Collatz */
	{OP_SET, T, 254, 255},
	{OP_AND, X, INPUT, T},
	{OP_ADD_I, X, X, 1},
	{OP_SET, COUNT, 0, 0},
	{OP_JUMP, 0, 0, COLLATZ_TEST},
	{OP_LABEL, 0, 0, COLLATZ},
	{OP_ADD_I, COUNT, COUNT, 1},
	{OP_AND, T, X, ONE},
	{OP_JUMP_Z, T, 0, EVEN},
	{OP_ADD, T, X, X},
	{OP_ADD, X, X, T},
	{OP_ADD_I, X, X, 1},
	{OP_JUMP, 0, 0, COLLATZ},
	{OP_LABEL, 0, 0, EVEN},
	{OP_SHR_I, X, X, 1},
	{OP_LABEL, 0, 0, COLLATZ_TEST},
	{OP_SUB, T, X, ONE},
	{OP_JUMP_NZ, T, 0, COLLATZ},
	{OP_MUL, RESULT, RESULT, FACTOR},
	{OP_ADD, RESULT, RESULT, COUNT},
	/* 3: insertion sort, each value put in its place as it is drawn; BASE is 256, I the free place */
	{OP_SHR_I, X, INPUT, 1},
	{OP_ADD, X, X, X},
	{OP_ADD_I, X, X, 1},
	{OP_SET, BASE, 0, 1},
	{OP_ADD_I, END, BASE, PROGRAM_SORTED},
	{OP_MOVE, I, BASE, 0},
	{OP_LABEL, 0, 0, INSERT},
	{OP_SHL_I, T, X, 13},
	{OP_XOR, X, X, T},
	{OP_SHR_I, T, X, 17},
	{OP_XOR, X, X, T},
	{OP_SHL_I, T, X, 5},
	{OP_XOR, X, X, T},
	{OP_SHR_I, COUNT, X, 20},
	{OP_MOVE, J, I, 0},
	{OP_LABEL, 0, 0, SHIFT},
	{OP_SUB, T, J, BASE},
	{OP_JUMP_Z, T, 0, PLACE},
	{OP_SUB_I, J, J, 1},
	{OP_LOAD, T, J, 0},
	{OP_STORE, T, J, 1},
	{OP_JUMP_LT, COUNT, T, SHIFT},
	{OP_ADD_I, J, J, 1},
	{OP_LABEL, 0, 0, PLACE},
	{OP_STORE, COUNT, J, 0},
	{OP_ADD_I, I, I, 1},
	{OP_JUMP_LT, I, END, INSERT},
	{OP_LABEL, 0, 0, FOLD},
	{OP_LOAD, T, BASE, 0},
	{OP_MUL, RESULT, RESULT, FACTOR},
	{OP_ADD, RESULT, RESULT, T},
	{OP_ADD_I, BASE, BASE, 1},
	{OP_JUMP_LT, BASE, END, FOLD},
	/* 4: Fibonacci of X, added up in COUNT: one for each call with 1 */
	{OP_SET, X, 10, 0},
	{OP_SET, T, 2, 0},
	{OP_SET, COUNT, 0, 0},
	{OP_CALL, 0, 0, FIBONACCI},
	{OP_MUL, RESULT, RESULT, FACTOR},
	{OP_ADD, RESULT, RESULT, COUNT},
	{OP_HALT, 0, 0, 0},
	{OP_LABEL, 0, 0, FIBONACCI},
	{OP_JUMP_LT, X, T, LEAF},
	{OP_PUSH, X, 0, 0},
	{OP_SUB_I, X, X, 1},
	{OP_CALL, 0, 0, FIBONACCI},
	{OP_POP, X, 0, 0},
	{OP_SUB_I, X, X, 2},
	{OP_CALL, 0, 0, FIBONACCI},
	{OP_RETURN, 0, 0, 0},
	{OP_LABEL, 0, 0, LEAF},
	{OP_ADD, COUNT, COUNT, X},
	{OP_RETURN, 0, 0, 0},
};

int program_assemble(struct instruction *code)
{
	uint8_t place[LABELS] = {0};
	size_t length = 0;

	for (size_t i = 0; i < sizeof(source) / sizeof(source[0]); i++) {
		if (source[i].op == OP_LABEL)
			place[source[i].c] = (uint8_t)length;
		else if (length == MACHINE_PROGRAM)
			return -1;
		else
			code[length++] = source[i];
	}
	for (size_t i = 0; i < length; i++)
		if (code[i].op >= OP_JUMP && code[i].op <= OP_CALL)
			code[i].c = place[code[i].c];
	return 0;
}
