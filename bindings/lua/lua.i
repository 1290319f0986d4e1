/*
** Typemaps of Lua for bindings/swig/perfmodel.i (its head lists the patterns).
**
** Record arrays cross as userdata of their own, so a sweep of many points costs no table per point; `unpack` turns them
** into tables. Where an array of records goes in, a list of tables does as well.
**
** A Lua error is a jump past the rest of the wrapper. So arguments live on the C stack or in userdata, never in malloc,
** and results that C allocated become Lua values in a protected call, after which they are freed in any case.
** Only calls that Lua 5.1 to 5.4 and LuaJIT share are used.
*/

%{
#include <pthread.h>
#include "file_rule.h"

#define LUA_RECORDS "perfmodel.records"

/* An array of records as Lua holds it: this head, then the records. */
typedef struct lua_records {
  const pm_record_type *type;
  size_t count;
} lua_records;

/* The head is padded so that the records behind it are aligned like any double. */
enum { LUA_RECORDS_HEAD = (sizeof(lua_records) + 15) / 16 * 16 };

static void *lua_records_data(lua_records *array) { return (char *)array + LUA_RECORDS_HEAD; }

/* A new zeroed array on the stack. */
static lua_records *lua_records_new(lua_State *L, const pm_record_type *type, size_t count) {
  lua_records *array = (lua_records *)lua_newuserdata(L, LUA_RECORDS_HEAD + count * type->size);
  memset(array, 0, LUA_RECORDS_HEAD + count * type->size);
  array->type = type;
  array->count = count;
  luaL_newmetatable(L, LUA_RECORDS);
  lua_setmetatable(L, -2);
  return array;
}

/* The array at an index, or NULL if something else is there. */
static lua_records *lua_records_at(lua_State *L, int index) {
  int same;
  if (!lua_isuserdata(L, index) || !lua_getmetatable(L, index)) return NULL;
  luaL_newmetatable(L, LUA_RECORDS);
  same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? (lua_records *)lua_touserdata(L, index) : NULL;
}

/* An error without a place, which arguments.lua adds: that of the script's call. */
static int lua_refuse(lua_State *L, const char *format, ...) {
  char text[400];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  lua_pushstring(L, pm_text_clean(text));
  return lua_error(L);
}

/* A message as it is shown: no control characters, and of one with a long value only its beginning. */
static int lua_shown(lua_State *L) {
  enum { LONGEST = 3000, BEGINNING = 600 };
  size_t length = 0;
  const char *text = lua_tolstring(L, 1, &length);
  size_t size = length > LONGEST ? BEGINNING : length;
  char *shown = text != NULL ? (char *)lua_newuserdata(L, size + sizeof "...") : NULL;
  if (shown == NULL) return lua_refuse(L, "a message must be text, not %s", luaL_typename(L, 1));
  for (size_t i = 0; i < size; i++) shown[i] = text[i] != '\0' ? text[i] : '?';
  strcpy(shown + size, size < length ? "..." : "");
  lua_pushstring(L, pm_text_clean(shown));
  return 1;
}

/* Elements of a list up to the first hole. */
static size_t lua_length(lua_State *L, int index) {
  size_t count = 0;
  if (!lua_istable(L, index)) lua_refuse(L, "a table is expected, not %s", luaL_typename(L, index));
  for (;; count++) {
    int last;
    lua_rawgeti(L, index, (int)count + 1);
    last = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (last) return count;
  }
}

/* The text at an index, which must be a string without a zero byte in it. Lives as long as the value. */
static const char *lua_text(lua_State *L, int index, const char *what) {
  size_t length = 0;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
  if (text == NULL) lua_refuse(L, "%s must be text, not %s", what, luaL_typename(L, index));
  if (strlen(text) != length) lua_refuse(L, "%s has a zero byte in it", what);
  return text;
}

/* The C pointer of a handle of this module. SWIG's own conversion believes any userdata; this looks at what frees
** it. */
static void *lua_handle(lua_State *L, int index, swig_type_info *type, const char *name) {
  void *handle = NULL;
  int ours = 0;
  if (lua_type(L, index) == LUA_TUSERDATA && lua_getmetatable(L, index)) {
    lua_pushstring(L, "__gc");
    lua_rawget(L, -2);
    ours = lua_tocfunction(L, -1) == SWIG_Lua_class_destruct;
    lua_pop(L, 2);
  }
  if (!ours || !SWIG_IsOK(SWIG_ConvertPtr(L, index, &handle, type, 0)) || handle == NULL)
    lua_refuse(L, "expected a %s, got %s", name, luaL_typename(L, index));
  return handle;
}

static double lua_real(lua_State *L, int index, const char *what) {
  if (lua_type(L, index) != LUA_TNUMBER) lua_refuse(L, "%s must be a number, not %s", what, luaL_typename(L, index));
  return (double)lua_tonumber(L, index);
}

/* ---- Lists in: each is a userdata on the stack, so nothing has to be freed ---- */

static double *lua_numbers_in(lua_State *L, int index, size_t *count) {
  double *array;
  *count = lua_length(L, index);
  array = (double *)lua_newuserdata(L, (*count + 1) * sizeof *array);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    array[i] = lua_real(L, -1, "every element");
    lua_pop(L, 1);
  }
  return array;
}

static const char **lua_names_in(lua_State *L, int index, size_t *count) {
  const char **array;
  *count = lua_length(L, index);
  array = (const char **)lua_newuserdata(L, (*count + 1) * sizeof *array);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    array[i] = lua_text(L, -1, "every element");
    lua_pop(L, 1);
  }
  return array;
}

static pm_attribute *lua_attributes_in(lua_State *L, int index, size_t *count) {
  pm_attribute *array;
  if (!lua_istable(L, index)) lua_refuse(L, "a table is expected, not %s", luaL_typename(L, index));
  *count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) ++*count;
  array = (pm_attribute *)lua_newuserdata(L, (*count + 1) * sizeof *array);
  *count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    array[*count].name = lua_text(L, -2, "the name of an attribute");
    array[(*count)++].value = lua_text(L, -1, "the value of an attribute");
  }
  return array;
}

/* ---- Records in ---- */

/* The number that a choice field means by the value on the top: its name, a boolean for yes and no, or the number. */
static double lua_choice(lua_State *L, const pm_field *field) {
  if (lua_isboolean(L, -1)) return lua_toboolean(L, -1);
  if (lua_type(L, -1) == LUA_TSTRING)
    for (int i = 0; field->choices[i].name != NULL; i++)
      if (strcmp(field->choices[i].name, lua_tostring(L, -1)) == 0) return i;
  return lua_type(L, -1) == LUA_TSTRING ? -1 : lua_real(L, -1, field->name);
}

static int32_t lua_whole(lua_State *L, const pm_field *field, double value) {
  if (!(value >= INT32_MIN && value <= INT32_MAX) || value != floor(value))
    lua_refuse(L, "%s must be a whole number", field->name);
  return (int32_t)value;
}

/* Sets a field of a record from the value on the top of the stack. */
static void lua_set_field(lua_State *L, const pm_field *field, void *record) {
  char *place = (char *)record + field->offset;
  if (field->kind == PM_FIELD_TEXT) {
    const char *text = lua_text(L, -1, field->name);
    if (strlen(text) >= PM_TEXT_MAX) lua_refuse(L, "%s is too long: \"%.80s\"", field->name, text);
    memcpy(place, text, strlen(text) + 1);
  } else if (field->kind == PM_FIELD_REAL) {
    *(double *)(void *)place = lua_real(L, -1, field->name);
  } else if (field->kind == PM_FIELD_INT) {
    *(int32_t *)(void *)place = lua_whole(L, field, lua_real(L, -1, field->name));
  } else {
    *(int32_t *)(void *)place = lua_whole(L, field, lua_choice(L, field));
  }
}

/* Every name in the table on the top is one of a field. */
static void lua_check_fields(lua_State *L, const pm_record_type *type) {
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL, *meant;
    if (name == NULL || pm_record_find_field(type, name) != NULL) continue;
    meant = pm_field_find_meant(type, name);
    if (meant == NULL) lua_pushfstring(L, "unknown field \"%s\" of a %s", name, type->name);
    else lua_pushfstring(L, "unknown field \"%s\" of a %s; did you mean \"%s\"?", name, type->name, meant);
    lua_error(L);
  }
}

/* Records of a type at an index: an array of them, or a list of tables. Absent fields are unknown. */
static void *lua_records_in(lua_State *L, int index, const char *name, size_t *count) {
  const pm_record_type *type = pm_record_type_find(name);
  lua_records *array = lua_records_at(L, index);
  if (type == NULL || (array != NULL && array->type != type)) lua_refuse(L, "expected an array of %s records", name);
  if (array == NULL) {
    size_t length = lua_length(L, index);
    array = lua_records_new(L, type, length);
    for (size_t i = 0; i < length; i++) {
      char *record = (char *)lua_records_data(array) + i * type->size;
      pm_record_clear(type, record);
      lua_rawgeti(L, index, (int)i + 1);
      if (!lua_istable(L, -1)) lua_refuse(L, "every %s record must be a table", name);
      lua_check_fields(L, type);
      for (size_t f = 0; f < type->field_count; f++) {
        lua_getfield(L, -1, type->fields[f].name);
        if (!lua_isnil(L, -1)) lua_set_field(L, &type->fields[f], record);
        lua_pop(L, 1);
      }
      lua_pop(L, 1);
    }
  }
  *count = array->count;
  return lua_records_data(array);
}

/* ---- Arrays out: each of these runs protected, with the C array as light userdata ---- */

static int lua_push_records(lua_State *L) {
  const records *array = (const records *)lua_touserdata(L, 1);
  lua_records *copy = lua_records_new(L, array->type, array->count);
  memcpy(lua_records_data(copy), array->data, array->count * array->type->size);
  return 1;
}

static int lua_push_numbers(lua_State *L) {
  const numbers *array = (const numbers *)lua_touserdata(L, 1);
  lua_createtable(L, (int)array->count, 0);
  for (size_t i = 0; i < array->count; i++) {
    lua_pushnumber(L, (lua_Number)array->data[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

static int lua_push_names(lua_State *L) {
  const names *array = (const names *)lua_touserdata(L, 1);
  lua_createtable(L, (int)array->count, 0);
  for (size_t i = 0; i < array->count; i++) {
    lua_pushstring(L, array->data[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* One value on the stack: what `push` makes of the array, or an error message. 0 if it is that. */
static int lua_protected(lua_State *L, lua_CFunction push, void *array) {
  lua_pushcfunction(L, push);
  lua_pushlightuserdata(L, array);
  return lua_pcall(L, 1, 1, 0) == 0;
}

/* ---- Handles and texts out, likewise protected ---- */

typedef struct lua_made {
  void *handle;
  swig_type_info *type;
} lua_made;

static int lua_push_handle(lua_State *L) {
  const lua_made *made = (const lua_made *)lua_touserdata(L, 1);
  SWIG_NewPointerObj(L, made->handle, made->type, 1);
  return 1;
}

static int lua_push_text(lua_State *L) {
  lua_pushstring(L, (const char *)lua_touserdata(L, 1));
  return 1;
}

/* ---- Records as tables ---- */

static int lua_is_yes_no(const pm_field *field) {
  return strcmp(field->choices[0].name, "no") == 0 && strcmp(field->choices[1].name, "yes") == 0;
}

/* The value of a choice: its name, or a boolean where the choice is between no and yes. */
static void lua_push_choice(lua_State *L, const pm_field *field, int value) {
  int known = 0;
  while (field->choices[known].name != NULL) known++;
  if (lua_is_yes_no(field)) lua_pushboolean(L, value);
  else if (value >= 0 && value < known) lua_pushstring(L, field->choices[value].name);
  else lua_pushnil(L);
}

static void lua_push_field(lua_State *L, const pm_field *field, const void *record) {
  const char *place = (const char *)record + field->offset;
  double value = pm_record_get_number(field, record);
  if (field->kind == PM_FIELD_TEXT) lua_pushstring(L, place);
  else if (field->kind == PM_FIELD_CHOICE) lua_push_choice(L, field, (int)value);
  else if (field->kind == PM_FIELD_INT) lua_pushinteger(L, (lua_Integer)value);
  else if (isnan(value)) lua_pushnil(L);
  else lua_pushnumber(L, (lua_Number)value);
}

/* unpack(records): a list of tables, fields by name; unknown ones are absent. And the name of their type. */
static int lua_unpack(lua_State *L) {
  lua_records *array = lua_records_at(L, 1);
  if (array == NULL) return lua_refuse(L, "expected an array of records, not %s", luaL_typename(L, 1));
  lua_createtable(L, (int)array->count, 0);
  for (size_t i = 0; i < array->count; i++) {
    lua_createtable(L, 0, (int)array->type->field_count);
    for (size_t f = 0; f < array->type->field_count; f++) {
      lua_push_field(L, &array->type->fields[f], (char *)lua_records_data(array) + i * array->type->size);
      lua_setfield(L, -2, array->type->fields[f].name);
    }
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_pushstring(L, array->type->name);
  return 2;
}

/* pack(type, list): records of a type from a list of tables, or an array of them. */
static int lua_pack(lua_State *L) {
  size_t count;
  lua_records_in(L, 2, lua_text(L, 1, "a type"), &count);
  return 1;
}

/* write_file(path, text): nothing, or why the file cannot be written. */
static int lua_write_file(lua_State *L) {
  size_t size = 0;
  const char *path = lua_text(L, 1, "a path"), *text = lua_tolstring(L, 2, &size);
  int problem = file_write(path, text, size);
  if (problem == 0) return 0;
  lua_pushstring(L, file_problem(problem));
  return 1;
}

/* is_file_of(input, file): whether a file is an input, or one of the folder that is, whether it is there or not. */
static int lua_is_file_of(lua_State *L) {
  lua_pushboolean(L, file_is_of(lua_text(L, 1, "a path"), lua_text(L, 2, "a path")));
  return 1;
}
%}

%native(shown) int lua_shown(lua_State *L);
%native(unpack) int lua_unpack(lua_State *L);
%native(pack) int lua_pack(lua_State *L);
%native(write_file) int lua_write_file(lua_State *L);
%native(is_file_of) int lua_is_file_of(lua_State *L);

/* ---- Errors ---- */
%typemap(in, numinputs=0) pm_error *error (pm_error temp = PM_ERROR_NONE) "$1 = &temp;"
%typemap(argout) pm_error *error {
  if ($1->status != PM_OK) {
    lua_pushstring(L, $1->text);
    SWIG_fail;
  }
}

/* ---- Plain values ---- */
%typemap(in) const char * "$1 = (char *)lua_text(L, $input, \"argument $argnum\");"
%typemap(freearg) const char * "";
%typemap(in) double "$1 = lua_real(L, $input, \"argument $argnum\");"
%typemap(out) int "lua_pushinteger(L, (lua_Integer)$1); SWIG_arg++;"
%typemap(out) double "lua_pushnumber(L, (lua_Number)$1); SWIG_arg++;"
%typemap(out) const char * "lua_pushstring(L, $1); SWIG_arg++;"
%typemap(out) char * {
  int pushed = lua_protected(L, lua_push_text, $1);
  pm_string_free($1);
  $1 = NULL;
  if (!pushed) SWIG_fail;
  SWIG_arg++;
}

/* ---- Handles ---- */
%define PM_HANDLE(type)
%typemap(in) type *, const type * { $1 = (type *)lua_handle(L, $input, $1_descriptor, #type); }
%typemap(out) type * {
  lua_made made = {$1, $1_descriptor};
  if (!lua_protected(L, lua_push_handle, &made)) {
    type##_free($1);
    SWIG_fail;
  }
  SWIG_arg++;
}
%enddef

%define PM_BORROWED(type)
%nodefaultctor type;
%nodefaultdtor type;
typedef struct type {
} type;
%typemap(in) type *, const type * { $1 = (type *)lua_handle(L, $input, $descriptor(type *), #type); }
%typemap(out) const type * { /* this may fail without memory, but there is nothing to free */
  SWIG_NewPointerObj(L, (void *)$1, $descriptor(type *), 0);
  SWIG_arg++;
}
%enddef

%define PM_HANDLES_IN(type)
%typemap(in) (const type *const *HANDLES, size_t COUNT) {
  $2 = lua_length(L, $input);
  $1 = (type **)lua_newuserdata(L, ($2 + 1) * sizeof(type *));
  for (size_t i = 0; i < $2; i++) {
    lua_rawgeti(L, $input, (int)i + 1);
    ((type **)$1)[i] = (type *)lua_handle(L, -1, $descriptor(type *), #type);
    lua_pop(L, 1);
  }
}
%enddef

/* ---- Arrays in ---- */
%define PM_RECORDS_IN(name)
%typemap(in) (const pm_##name *name, size_t name##_count) { $1 = (pm_##name *)lua_records_in(L, $input, #name, &$2); }
%enddef

%typemap(in) any_records {
  lua_records *array = lua_records_at(L, $input);
  if (array == NULL) lua_refuse(L, "expected an array of records, not %s", luaL_typename(L, $input));
  $1.type = array->type;
  $1.data = lua_records_data(array);
  $1.item = array->type->size;
  $1.bytes = array->count * array->type->size;
}

%typemap(in) (const double *NUMBERS, size_t COUNT) "$1 = lua_numbers_in(L, $input, &$2);"
%typemap(in) (const char *const *NAMES, size_t COUNT) "$1 = (char **)lua_names_in(L, $input, &$2);"
%typemap(in) (const pm_attribute *ATTRIBUTES, size_t COUNT) "$1 = lua_attributes_in(L, $input, &$2);"

/* ---- Arrays out ---- */
%define PM_ARRAY_OUT(type)
%typemap(out) type {
  int pushed = 1;
  if ($1.data == NULL) lua_pushnil(L);
  else pushed = lua_protected(L, lua_push_##type, &$1);
  type##_free(&$1);
  if (!pushed) SWIG_fail;
  SWIG_arg++;
}
%enddef
PM_ARRAY_OUT(records)
PM_ARRAY_OUT(numbers)
PM_ARRAY_OUT(names)

/* ---- The module is perfmodel.core, private to perfmodel.lua ---- */
%wrapper %{
SWIGEXPORT int luaopen_core(lua_State *L);
SWIGEXPORT int luaopen_perfmodel_core(lua_State *L);

/* What SWIG writes fills tables of the process when the module is first opened: a second state, in another thread,
** would take them half filled. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

SWIGEXPORT int luaopen_perfmodel_core(lua_State *L) {
  lua_pushcfunction(L, luaopen_core);
  pthread_mutex_lock(&opening);
  int status = lua_pcall(L, 0, 1, 0); /* an error must not leave it locked */
  pthread_mutex_unlock(&opening);
  return status == 0 ? 1 : lua_error(L);
}
%}
