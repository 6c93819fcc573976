/* Pointers, comparisons and additions: code in which a CPU's name mostly changes nothing. */
#include <stddef.h>

struct node {
	struct node *left, *right;
	long key;
};

long walk_sum(const struct node *node);
const struct node *walk_find(const struct node *node, long key);
int workload_main(void);

long walk_sum(const struct node *node)
{
	long sum = 0;

	for (; node != NULL; node = node->right)
		sum += node->key + walk_sum(node->left);
	return sum;
}

const struct node *walk_find(const struct node *node, long key)
{
	while (node != NULL && node->key != key)
		node = key < node->key ? node->left : node->right;
	return node;
}

int workload_main(void)
{
	struct node leaf = {NULL, NULL, 1}, top = {&leaf, NULL, 2};

	return walk_sum(&top) == 3 && walk_find(&top, 1) == &leaf ? 0 : 1;
}
