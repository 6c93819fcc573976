#include "code/dwarf_forms.h"

/* DWARF 5, 7.5.6; those from 0x1f01 on are GNU's. */
enum form {
	FORM_ADDR = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4,
	FORM_DATA2,
	FORM_DATA4,
	FORM_DATA8,
	FORM_STRING,
	FORM_BLOCK,
	FORM_BLOCK1,
	FORM_DATA1,
	FORM_FLAG,
	FORM_SDATA,
	FORM_STRP,
	FORM_UDATA,
	FORM_REF_ADDR,
	FORM_REF1,
	FORM_REF2,
	FORM_REF4,
	FORM_REF8,
	FORM_REF_UDATA,
	FORM_INDIRECT,
	FORM_SEC_OFFSET,
	FORM_EXPRLOC,
	FORM_FLAG_PRESENT,
	FORM_STRX,
	FORM_ADDRX,
	FORM_REF_SUP4,
	FORM_STRP_SUP,
	FORM_DATA16,
	FORM_LINE_STRP,
	FORM_REF_SIG8,
	FORM_IMPLICIT_CONST = DWARF_IMPLICIT_CONST,
	FORM_LOCLISTX,
	FORM_RNGLISTX,
	FORM_REF_SUP8,
	FORM_STRX1,
	FORM_STRX2,
	FORM_STRX3,
	FORM_STRX4,
	FORM_ADDRX1,
	FORM_ADDRX2,
	FORM_ADDRX3,
	FORM_ADDRX4,
	FORM_GNU_ADDR_INDEX = 0x1f01,
	FORM_GNU_STR_INDEX = 0x1f02,
	FORM_GNU_REF_ALT = 0x1f20,
	FORM_GNU_STRP_ALT = 0x1f21
};

/* Bytes of a form that always takes as many; 0: it does not. */
static size_t fixed_size(uint64_t form, const struct dwarf_head *head)
{
	switch (form) {
	case FORM_DATA1:
	case FORM_FLAG:
	case FORM_REF1:
	case FORM_STRX1:
	case FORM_ADDRX1:
		return 1;
	case FORM_DATA2:
	case FORM_REF2:
	case FORM_STRX2:
	case FORM_ADDRX2:
		return 2;
	case FORM_STRX3:
	case FORM_ADDRX3:
		return 3;
	case FORM_DATA4:
	case FORM_REF4:
	case FORM_REF_SUP4:
	case FORM_STRX4:
	case FORM_ADDRX4:
		return 4;
	case FORM_DATA8:
	case FORM_REF8:
	case FORM_REF_SIG8:
	case FORM_REF_SUP8:
		return 8;
	case FORM_DATA16:
		return 16;
	case FORM_ADDR:
		return head->address_size;
	case FORM_REF_ADDR:
		return head->version == 2 ? head->address_size : head->offset_size;
	case FORM_SEC_OFFSET:
	case FORM_STRP_SUP:
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		return head->offset_size;
	default:
		return 0;
	}
}

static bool skip_block(struct dwarf_cursor *cursor, uint64_t form)
{
	switch (form) {
	case FORM_BLOCK1:
		dwarf_skip(cursor, dwarf_number(cursor, 1));
		return true;
	case FORM_BLOCK2:
		dwarf_skip(cursor, dwarf_number(cursor, 2));
		return true;
	case FORM_BLOCK4:
		dwarf_skip(cursor, dwarf_number(cursor, 4));
		return true;
	case FORM_BLOCK:
	case FORM_EXPRLOC:
		dwarf_skip(cursor, dwarf_leb(cursor));
		return true;
	case FORM_SDATA:
	case FORM_UDATA:
	case FORM_REF_UDATA:
	case FORM_ADDRX:
	case FORM_LOCLISTX:
	case FORM_RNGLISTX:
	case FORM_GNU_ADDR_INDEX:
		(void)dwarf_leb(cursor);
		return true;
	case FORM_FLAG_PRESENT:
	case DWARF_IMPLICIT_CONST: /* stands with the abbreviation */
		return true;
	default:
		return false;
	}
}

bool dwarf_value(const struct dwarf_strings *strings, struct dwarf_cursor *cursor, uint64_t form,
	const struct dwarf_head *head, struct dwarf_string *text, uint64_t *number)
{
	const size_t fixed = fixed_size(form, head);

	if (form == FORM_INDIRECT) {
		form = dwarf_leb(cursor);
		return form != FORM_INDIRECT && dwarf_value(strings, cursor, form, head, text, number);
	}
	switch (form) {
	case FORM_STRING:
		text->at = dwarf_text(cursor->bytes, cursor->at);
		while (dwarf_number(cursor, 1) != 0)
			;
		return true;
	case FORM_STRP:
		text->at = dwarf_text(&strings->str, dwarf_offset(cursor, head->offset_size));
		return true;
	case FORM_LINE_STRP:
		text->at = dwarf_text(&strings->line_str, dwarf_offset(cursor, head->offset_size));
		return true;
	case FORM_STRX:
	case FORM_GNU_STR_INDEX:
		text->indexed = true;
		text->index = dwarf_leb(cursor);
		return true;
	case FORM_STRX1:
	case FORM_STRX2:
	case FORM_STRX3:
	case FORM_STRX4:
		text->indexed = true;
		text->index = dwarf_number(cursor, fixed);
		return true;
	case FORM_SEC_OFFSET:
		*number = dwarf_offset(cursor, head->offset_size);
		return true;
	default:
		break;
	}
	if (fixed == 0)
		return skip_block(cursor, form);
	dwarf_skip(cursor, fixed);
	return true;
}
