/*
 * procedures.c - the second translation unit of Dhrystone: P6 to P8 and F1 to F3 (dhrystone.h).
 */
#include <string.h>

#include "dhrystone.h"

void p6(enum choice a, enum choice *b)
{
	*b = a;
	if (!f3(a))
		*b = CHOICE_3;
	switch (a) {
	case CHOICE_0:
		*b = CHOICE_0;
		break;
	case CHOICE_1:
		*b = global_int > 100 ? CHOICE_0 : CHOICE_3;
		break;
	case CHOICE_2:
		*b = CHOICE_1;
		break;
	case CHOICE_3:
		break;
	case CHOICE_4:
		*b = CHOICE_2;
		break;
	}
}

void p7(int a, int b, int *sum)
{
	int t = a + 2;

	*sum = b + t;
}

void p8(int row[SIDE], int matrix[SIDE][SIDE], int a, int b)
{
	register int t = a + 5;
	register int j;

	row[t] = b;
	row[t + 1] = row[t];
	row[t + 30] = t;
	for (j = t; j <= t + 1; j++)
		matrix[t][j] = t;
	matrix[t][t - 1] += 1;
	matrix[t + 20][t] = row[t];
	global_int = 5;
}

enum choice f1(char a, char b)
{
	char first = a;
	char second = first;

	if (second != b)
		return CHOICE_0;
	global_char_1 = first;
	return CHOICE_1;
}

int f2(const char *a, const char *b)
{
	register int n = 2;
	char ch = 'A';

	while (n <= 2) {
		if (f1(a[n], b[n + 1]) == CHOICE_0) {
			ch = 'A';
			n += 1;
		}
	}
	if (ch >= 'W' && ch < 'Z')
		n = 7;
	if (ch == 'R')
		return 1;
	if (strcmp(a, b) > 0) {
		n += 7;
		global_int = n;
		return 1;
	}
	return 0;
}

int f3(enum choice a)
{
	enum choice copy = a;

	return copy == CHOICE_2;
}
