/* What links the kernels of tests/trust/native: nothing of it is run, only its code is looked at. */
int workload_main(void);

int main(void)
{
	return workload_main();
}
