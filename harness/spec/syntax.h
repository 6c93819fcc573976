/*
 * syntax.h - what libyaml says about broken YAML, in plain words. Inside spec only.
 */
#ifndef FLAGSTONE_SPEC_SYNTAX_H
#define FLAGSTONE_SPEC_SYNTAX_H

#include <stddef.h>
#include <yaml.h>

#include "spec/spec.h"

/* Adds the one error at which the parser of these bytes stopped. */
void syntax_error(const yaml_parser_t *parser, const char *bytes, size_t count, const char *path,
	struct spec_errors *errors);

#endif
