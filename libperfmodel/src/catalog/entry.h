/* The catalogue from the inside: kinds, entries, names; shared by the files of this folder. */
#ifndef PM_CATALOG_ENTRY_H
#define PM_CATALOG_ENTRY_H

#include "base/document.h"
#include "perfmodel/catalog.h"
#include "perfmodel/memory.h"
#include "perfmodel/framework.h"

/* ---- Kinds of entries. */

typedef enum pm__kind_number {
  PM__GPUS,
  PM__LINKS,
  PM__SYSTEMS,
  PM__NETWORKS,
  PM__DATASETS,
  PM__SOURCES,
  PM__FRAMEWORKS,
  PM__LIBRARY_ERAS,
  PM__BANDS,
  PM__MEMORY_PROFILES,
  PM__OPTIMIZERS,
  PM__USABLE_MEMORIES,
  PM__TRANSFORMER_ACTIVATIONS,
  PM__KERNEL_CALIBRATIONS,
  PM__KERNEL_HARNESSES,
  PM__CALIBRATIONS,
  PM__PROTOCOLS_KIND,
  PM__TUNINGS,
  PM__FITS,
  PM__STORAGES,
  PM__STORAGE_ACCESSES,
  PM__DECODERS,
  PM__LOADERS,
  PM__INFERENCE_PROFILES,
  PM__READINGS,
  PM__KINDS
} pm__kind_number;

typedef struct pm__kind {
  const char *plural, *singular; /* the singular is the XML element */
  const char *record;            /* name of its record type */
  const char *required;          /* fields that must be given, between spaces: " kind bandwidth " */
  const char *listed;            /* columns of its list, the same way; "" is all */
} pm__kind;

const pm__kind *pm__kind_at(size_t index);

/* The kind of that name, singular or plural; -1 with an error if there is none. */
int pm__kind_find(const char *name, pm_error *error);

/* The kind whose XML element has that name, or -1. */
int pm__kind_of_element(const char *name);

/* Whether `word` is one of a list such as " kind bandwidth ". */
bool pm__in_list(const char *list, const char *word);

/* ---- Entries: they live in the arena of the document that they came from. */

/* Where one field's value came from. */
typedef struct pm__provenance {
  const char *text;          /* as written */
  const char *source, *note; /* "" if none */
  const char *origin;        /* datasheet, fitted, rule, guess, default, fact; "" if it is what the source says */
  const char *fitted_to;     /* parted by blanks; "" if it was not fitted */
  const char *date;          /* when it was fitted: 2026-11; "" if not said */
  int rows;                  /* that it was fitted on; 0 if not said */
  int line;                  /* 0: the field was not given */
} pm__provenance;

typedef struct pm__entry {
  int kind;
  const char *id, *name, *source, *note; /* "" if not given; the id always is */
  const char **aliases;
  size_t alias_count;
  const pm__document *document;
  const pm__element *element;
  const pm_record_type *type;
  void *record;         /* NULL for a network */
  pm__provenance *from; /* one per field of the record type */
  size_t position;      /* in the list of its kind */
  int load;             /* 0: shipped; else the load that brought it */
  struct pm__entry *machine; /* of a GPU: the system that its name stands for where one is wanted */
} pm__entry;

typedef struct pm__entries {
  pm__entry **items;
  size_t count, capacity;
} pm__entries;

typedef struct pm__documents {
  pm__document **items;
  size_t count, capacity;
} pm__documents;

int pm__entries_add(pm__entries *entries, pm__entry *entry, pm_error *error);
int pm__documents_add(pm__documents *documents, pm__document *document, pm_error *error);
void pm__documents_free(pm__documents *documents);

/* Reads all entries of a document, in the order of the file, and appends them. */
int pm__entries_read(pm__document *document, int load, pm__entries *entries, pm_error *error);

/* Fails with the place of the entry, or of one of its elements, before the message. */
int pm__entry_fail(const pm__entry *entry, int line, pm_error *error, int status, const char *format, ...)
  PM__PRINTF(5, 6);

/* Gives a GPU the entry of a machine with one of it, "gpu:<id>", which is in no list and no file. */
int pm__entry_add_machine(pm__document *document, pm__entry *gpu, pm_error *error);

/* PM_OK, or that the value of a field just read is negative or absurd. */
int pm__value_check(const pm_field *field, const void *record, const char *text, pm_error *error);

/* Reads and checks the attributes of a field's element that say what its value rests on; the note is set already. */
int pm__provenance_read(const pm__entry *entry, const pm__element *element, pm__provenance *from, pm_error *error);

/* "fitted: 48 rows of keras2018, u39kun, 2026-11; +-3 %", "rule: as Turing", or the note alone; cut off at `size`. */
void pm__provenance_text(const pm__provenance *from, char *text, size_t size);

/* Whether a value was fitted to what has that name, among others. */
bool pm__provenance_rests_on(const pm__provenance *from, const char *name);

/* Sets what the host times of a framework were fitted to: its entry's own, or those of the one that it is like, or
** NULL. */
void pm__framework_fitted_to(const pm__entry *entry, const pm__entry *like, pm_framework *framework);

/* ---- Names: a hash table of ids, names and aliases, compared as pm__same_name does. All zero is empty. */

typedef struct pm__names_place {
  const char *text; /* NULL: a free place */
  pm__entry *entry;
} pm__names_place;

typedef struct pm__names {
  pm__names_place *places;
  size_t count, capacity; /* capacity is a power of 2 */
} pm__names;

pm__entry *pm__names_find(const pm__names *names, int kind, const char *text);

/* Adds a name; if it is there already for another entry, sets *other to that and leaves the table. */
int pm__names_add(pm__names *names, const char *text, pm__entry *entry, pm__entry **other, pm_error *error);
void pm__names_free(pm__names *names);

/* PM_STATUS_NOT_FOUND with what the name may have meant. */
int pm__names_unknown(const pm__entries *entries, int kind, const char *text, pm_error *error);

/* Whether `text` has anything that names are compared by. */
bool pm__is_name(const char *text);

/* ---- The catalogue. */

typedef struct pm__catalog_words pm__catalog_words; /* systems in one word that were asked for */

struct pm_catalog {
  pm__entries lists[PM__KINDS];
  pm__documents documents;
  const char **notes;
  size_t note_count, note_capacity;
  pm__names names;
  pm__catalog_words *words;
  /* The entry that a system in one word stands for; set by who makes the catalogue, so that names need not know how. */
  pm__entry *(*read_word)(const pm_catalog *catalog, const char *name, pm_error *error);
  int loads;
};

/* The entry that a name resolves to; NULL with an error. */
pm__entry *pm__catalog_find(const pm_catalog *catalog, int kind, const char *name, pm_error *error);

/* Adds the documents' entries, all or nothing. Takes the documents over only if it succeeds. */
int pm__catalog_merge(pm_catalog *catalog, pm__documents *documents, pm_error *error);

/* Resolves what a new entry refers to and checks the entry as a whole. */
int pm__entry_check(const pm_catalog *catalog, pm__entry *entry, pm_error *error);

/* Why a file cannot be read, by the number of the error. */
const char *pm__file_reason(int number);

/* Reads a file, or the *.xml files of a folder. */
int pm__documents_read(pm__documents *documents, const char *path, pm_error *error);

/* Builds from an entry: NULL with an error that has a place. */
pm_system *pm__entry_system(const pm_catalog *catalog, const pm__entry *entry, pm_error *error);
pm_network *pm__entry_network(const pm__entry *entry, const pm_attribute *sets, size_t set_count, pm_error *error);

/* Whether every parameter of a network has a default. */
bool pm__entry_has_defaults(const pm__entry *entry);

/* The record of an entry; that of a network, its totals, is computed, and that of a memory profile completed by the one that
** it is like. */
int pm__entry_record(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error);

/* The child element of that name, or NULL. */
const pm__element *pm__entry_child(const pm__entry *entry, const char *name);

#endif
