/* The constants of a catalogue without entries: what the compiler of the shipped one is itself linked with. */
#include "catalog/shipped.h"

const unsigned char pm__shipped_text[] = {0};
const unsigned char pm__shipped_numbers[] = {0};
const pm__shipped_entry pm__shipped_entries[] = {{0, 0, 0, 0}};
const uint32_t pm__shipped_first[PM__KINDS + 1] = {0};
const pm__names_place pm__shipped_places[] = {{0, 0, 0}};
const uint32_t pm__shipped_name_count = 0, pm__shipped_name_capacity = 0;
