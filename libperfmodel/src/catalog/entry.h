/* Internals of the catalogue: kinds, entries, names; shared by the files of this folder. */
#ifndef PM_CATALOG_ENTRY_H
#define PM_CATALOG_ENTRY_H

#include <stdint.h>
#include "base/document.h"
#include "perfmodel/catalog.h"
#include "perfmodel/memory.h"
#include "perfmodel/framework.h"

/* ---- Kinds of entries. */

enum { LIKES_MAX = 8 }; /* how often an entry may be like one that is like another */

typedef enum pm__kind_number {
  PM__GPUS,
  PM__LINKS,
  PM__SYSTEMS,
  PM__NETWORKS,
  PM__DATASETS,
  PM__SOURCES,
  PM__FRAMEWORKS,
  PM__CUDNN_GENERATIONS,
  PM__PREDICTION_INTERVALS,
  PM__OPERATOR_CALIBRATIONS,
  PM__MEMORY_PROFILES,
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
  PM__ENGINES,
  PM__READINGS,
  PM__KINDS
} pm__kind_number;

typedef struct pm__kind {
  const char *plural, *singular; /* the singular is the XML element */
  const char *record;            /* name of its record type */
  const char *required;          /* fields that must be given, between spaces: " kind bandwidth " */
  const char *listed;            /* main columns of its list, the same way; "" is all */
  const char *own;               /* fields that an entry never inherits; NULL if it inherits nothing */
} pm__kind;

const pm__kind *pm__kind_at(size_t index);

/* The kind of that name, singular or plural; -1 with an error if there is none. */
int pm__kind_find(const char *name, pm_error *error);

/* The kind whose XML element has that name, or -1. */
int pm__kind_of_element(const char *name);

/* The replacement of an element that entries of a kind had in an earlier release and that is now ignored; NULL: there
** was none of that name. */
const char *pm__kind_retired(int kind, const char *name);

/* ---- Entries, stored in the arena of their document. */

/* The provenance of one field's value. */
typedef struct pm__provenance {
  const char *text;          /* as written */
  const char *source, *note; /* "" if none */
  const char *origin;        /* datasheet, fitted, rule, guess, default, fact; "" for the source's value */
  const char *fitted_to;     /* separated by spaces; "" if it was not fitted */
  const char *date;          /* month of the fit: 2026-11; "" if not stated */
  int rows;                  /* that it was fitted to; 0 if not stated */
  int line;                  /* 0: the field was not given */
} pm__provenance;

typedef struct pm__entry {
  int kind;
  const char *id, *name, *source, *note; /* "" if not given; the id always is */
  const char **aliases;
  size_t alias_count;
  pm__document *document;
  const pm__element *element;
  const pm_record_type *type;
  void *record;         /* NULL for a network */
  pm__provenance *from; /* one per field of the record type */
  int load;             /* 0: shipped; else the load that brought it */
  struct pm__entry *machine; /* of a GPU: the system that its name stands for where one is wanted */
} pm__entry;

/* In a catalogue, NULL is a shipped entry. */
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

/* The same with what was just read, which is freed if it cannot be added; NULL: what was not read, as `failure`
** says. */
int pm__documents_take(pm__documents *documents, pm__document *document, pm_error *failure);
void pm__documents_free(pm__documents *documents);

/* Reads all entries of a document, in the order of the file, and appends them. */
int pm__entries_read(pm__document *document, int load, pm__entries *entries, pm_error *error);

/* Reads one, whose element is below the document's root. */
int pm__entry_read(pm__document *document, const pm__element *e, int kind, int load, pm__entry **entry,
                   pm_error *error);

/* Fails with the place of the entry, or of one of its elements, before the message. */
int pm__entry_fail(const pm__entry *entry, int line, pm_error *error, int status, const char *format, ...)
  PM__PRINTF(5, 6);

/* Creates the entry of a machine with one of a GPU, "gpu:<id>", which is in no list and no file. */
int pm__entry_add_machine(pm__document *document, pm__entry *gpu, pm_error *error);

/* PM_OK, or an error if the value of a field just read is negative or implausible. */
int pm__value_check(const pm_field *field, const void *record, const char *text, pm_error *error);

/* Reads and checks the provenance attributes of a field's element; the note is already set. */
int pm__provenance_read(const pm__entry *entry, const pm__element *element, pm__provenance *from, pm_error *error);

/* "fitted: 48 rows of keras2018, u39kun, 2026-11; +-3 %", "rule: as Turing", or the note alone; cut off at `size`. */
void pm__provenance_text(const pm__provenance *from, char *text, size_t size);

/* A value of an entry with its provenance, and as an element of a file; the source is written if it differs from the
** entry's. */
pm_value pm__entry_value(const pm__entry *entry, const pm_field *field);
void pm__entry_add_value(pm__string *out, const pm__entry *entry, const pm_value *value);

/* Whether a value was fitted to the source of that name, among others. */
bool pm__provenance_rests_on(const pm__provenance *from, const char *name);

/* Sets the sources that a framework's host times were fitted to, including inherited ones. */
int pm__framework_fitted_to(const pm_catalog *catalog, const pm__entry *entry, pm_framework *framework,
                            pm_error *error);

/* ---- Names: a hash table of ids, names and aliases, compared as pm__same_name does. */

/* A name is stored as the position of its entry, so the table of the shipped catalogue can be built with the
** library. */
typedef struct pm__names_place {
  uint16_t kind, which; /* which: 0 is a free place, 1 the id, 2 the name, 3 and on the aliases */
  uint32_t position;    /* of the entry in the list of its kind */
} pm__names_place;

typedef struct pm__names {
  const pm__names_place *places;
  pm__names_place *own; /* the same; NULL while they are those of the shipped catalogue */
  size_t count, capacity; /* capacity is a power of 2 */
} pm__names;

/* The place of a name in the catalogue's table, or NULL. */
const pm__names_place *pm__names_find(const pm_catalog *catalog, int kind, const char *text);

/* Adds a name to the catalogue's table; if it is there already, sets *other to its place and leaves the table. */
int pm__names_add(pm_catalog *catalog, const pm__names_place *name, const pm__names_place **other, pm_error *error);
void pm__names_free(pm__names *names);

/* The same for a name as users write it: a vendor may precede it, and a GPU may name a system. */
const pm__names_place *pm__names_find_place(const pm_catalog *catalog, int kind, const char *name);

/* The network with the layers of a model of a hub, or NULL. *weights is how its weights are stored if the name says so
** ("fp8" of "Qwen3-32B-FP8"), else NULL. */
const pm__names_place *pm__names_find_model(const pm_catalog *catalog, const char *name, const char **weights);

/* PM_STATUS_NOT_FOUND with a message that helps to correct an unknown name. */
int pm__names_unknown(const pm_catalog *catalog, int kind, const char *name, pm_error *error);

/* Whether `text` has a character that is significant in names. */
bool pm__is_name(const char *text);

/* ---- The catalogue. */

typedef struct pm__catalog_words pm__catalog_words; /* systems in one word that were asked for */
typedef struct pm__shipped pm__shipped;             /* shipped entries that were asked for */

struct pm_catalog {
  pm__entries lists[PM__KINDS];
  pm__shipped *shipped;
  pm__documents documents;
  const char **notes;
  size_t note_count, note_capacity;
  pm__names names;
  pm__catalog_words *words;
  /* The entry of a system in one word; a callback set by the owner of the catalogue, so names do not depend on it. */
  int (*read_word)(const pm_catalog *catalog, const char *name, const pm__entry **entry, pm_error *error);
  int loads;
};

/* The entry at a position of the list of its kind; fails only without memory. */
int pm__catalog_at(const pm_catalog *catalog, int kind, size_t position, const pm__entry **entry, pm_error *error);

/* Opens every entry, so later look-ups cannot fail without memory. Takes a few milliseconds. */
int pm__catalog_open_all(const pm_catalog *catalog, pm_error *error);

/* Its id, name ("" without one) and aliases, from 1 on; NULL beyond them. */
const char *pm__catalog_name(const pm_catalog *catalog, int kind, size_t position, size_t which);
const char *pm__entry_name(const pm__entry *entry, size_t which);

/* The entry that a name resolves to. */
int pm__catalog_find(const pm_catalog *catalog, int kind, const char *name, const pm__entry **entry, pm_error *error);

/* The same for optional entries: NULL without an error if missing. */
int pm__catalog_seek(const pm_catalog *catalog, int kind, const char *name, const pm__entry **entry, pm_error *error);

/* The least factors of all cuDNN generations on FP32 cores and on tensor cores; NAN without any. */
int pm__catalog_fastest_library(const pm_catalog *catalog, double *simt, double *tensor, pm_error *error);

/* Whether a name is known, without opening its entry; the id that it resolves to, NULL with an error. */
bool pm__catalog_has(const pm_catalog *catalog, int kind, const char *name);
const char *pm__catalog_resolve(const pm_catalog *catalog, int kind, const char *name, pm_error *error);

/* Adds the documents' entries, all or nothing. Takes the documents over only if it succeeds. */
int pm__catalog_merge(pm_catalog *catalog, pm__documents *documents, pm_error *error);

/* Resolves the references of a new entry and checks the whole entry. */
int pm__entry_check(const pm_catalog *catalog, pm__entry *entry, pm_error *error);

/* The reason why a file cannot be read, by error number. */
const char *pm__file_reason(int number);

/* The contents of a gzip file of one or more members, zero-terminated, up to PM__TEXT_MOST bytes; NULL with an
** error. */
enum { PM__TEXT_MOST = 64 << 20 };
char *pm__inflate(const char *bytes, size_t size, size_t *length, const char *path, pm_error *error);

/* Reads a file, or the *.xml files of a folder. */
int pm__documents_read(pm__documents *documents, const char *path, pm_error *error);

/* Builds from an entry: NULL with an error that has a place. */
pm_system *pm__entry_system(const pm_catalog *catalog, const pm__entry *entry, pm_error *error);
pm_network *pm__entry_network(const pm__entry *entry, const pm_attribute *sets, size_t set_count, pm_error *error);

/* Whether every parameter of a network has a default. */
bool pm__entry_has_defaults(const pm__entry *entry);

/* ---- Values that entries do not state (design_power.c, fallback.c). */

/* Fills in the design power of a machine that states none, and its basis. */
int pm__entry_add_design_power(const pm_catalog *catalog, pm_machine *machine, pm_error *error);

/* "rule: 8 GPUs of 400 W, 2 CPUs of 225 W, and 0.63 of these for the rest of the node" */
void pm__design_power_words(const pm_machine *machine, const pm_gpu *gpu, char *text, size_t size);

/* The record of an entry, each field as stated by it or by the entry that it falls back to. */
int pm__entry_complete(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error);

/* PM_OK, or an error if the chain of `like` entries has no end. */
int pm__entry_check_likes(const pm_catalog *catalog, const pm__entry *entry, pm_error *error);

/* The entry that a field's value is from: itself or one that it falls back to; NULL without an error if none states
** it. */
int pm__entry_find_stating(const pm_catalog *catalog, const pm__entry *entry, const char *field,
                           const pm__entry **found, pm_error *error);

/* The same as pm__entry_complete; of a network, its totals. */
int pm__entry_record(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error);

/* The child element of that name, or NULL. */
const pm__element *pm__entry_child(const pm__entry *entry, const char *name);

#endif
