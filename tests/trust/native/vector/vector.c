/* Loops that are vectorised: as wide as the CPU's name allows, fused where it has that. */
enum { N = 1024 };

float vector_dot(const float *restrict a, const float *restrict b);
void vector_axpy(float *restrict y, const float *restrict x, float a);
void vector_mix(int *restrict out, const int *restrict a, const int *restrict b);
int workload_main(void);

float vector_dot(const float *restrict a, const float *restrict b)
{
	float sum[16] = {0}, all = 0;

	for (int i = 0; i < N; i += 16)
		for (int k = 0; k < 16; k++)
			sum[k] += a[i + k] * b[i + k];
	for (int k = 0; k < 16; k++)
		all += sum[k];
	return all;
}

void vector_axpy(float *restrict y, const float *restrict x, float a)
{
	for (int i = 0; i < N; i++)
		y[i] += a * x[i];
}

void vector_mix(int *restrict out, const int *restrict a, const int *restrict b)
{
	for (int i = 0; i < N; i++)
		out[i] = a[i] > b[i] ? a[i] * 3 : b[i] >> 2;
}

int workload_main(void)
{
	static float x[N], y[N];
	static int a[N], b[N], out[N];

	vector_axpy(y, x, 2);
	vector_mix(out, a, b);
	return vector_dot(x, y) == 0 && out[0] == 0 ? 0 : 1;
}
