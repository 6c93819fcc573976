#include "code/code.h"

#include "code/image.h"

int code_sections(const char *path, struct arena *arena, struct words *names, struct error *e)
{
	struct arena scratch = {0};
	struct image image;

	if (image_open(path, &scratch, &image, e) != 0) {
		arena_release(&scratch);
		return -1;
	}
	for (size_t i = 1; i < image.section_count; i++)
		if (image_is_code(&image.sections[i]) && image.sections[i].header.sh_size > 0)
			words_add(names, arena, image.sections[i].name);
	image_close(&image);
	arena_release(&scratch);
	return 0;
}
