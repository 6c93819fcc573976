/*
 * dhrystone.h - what the two translation units of Dhrystone 2.1 share.
 *
 * Written from the description in R. P. Weicker, "Dhrystone Benchmark: Rationale for Version 2 and Measurement
 * Rules", SIGPLAN Notices 23(8), 1988. His rules ask for two units compiled apart, so that procedures are not
 * merged by an optimizer that sees one file at a time. P1 to P5 and the loop are in dhrystone.c, the rest in
 * procedures.c; all have external linkage.
 */
#ifndef FLAGSTONE_DHRYSTONE_H
#define FLAGSTONE_DHRYSTONE_H

#define STRING_SIZE 31 /* 30 characters and the zero */
#define SIDE	    50

/* The third value is the one that F3 looks for. */
enum choice { CHOICE_0, CHOICE_1, CHOICE_2, CHOICE_3, CHOICE_4 };

/* 56 bytes with pointers of 64 bits, 48 with 32: its copy is part of the measured work. */
struct record {
	struct record *next;
	enum choice kind;
	union {
		struct {
			enum choice e;
			int i;
			char s[STRING_SIZE];
		} first; /* the only one in use */
		struct {
			enum choice e;
			char s[STRING_SIZE];
		} second;
		struct {
			char a, b;
		} third;
	} u;
};

/* The state that lasts, beside the two records. None is static, as in the rules: one unit cannot know what another
 * unit does to them. */
extern int global_int;
extern int global_bool;
extern char global_char_1, global_char_2;
extern struct record *record_1, *record_2;
extern int global_row[SIDE];
extern int global_matrix[SIDE][SIDE];

void p1(struct record *p);
void p2(int *value);
void p3(struct record **pointer);
void p4(void);
void p5(void);
void p6(enum choice a, enum choice *b);
void p7(int a, int b, int *sum);
void p8(int row[SIDE], int matrix[SIDE][SIDE], int a, int b);
enum choice f1(char a, char b);
int f2(const char *a, const char *b);
int f3(enum choice a);

#endif
