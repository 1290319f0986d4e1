/*
** Typemaps of Python for bindings/swig/perfmodel.i (its head lists the patterns).
**
** Arrays cross by the buffer protocol: no NumPy C API, so the module does not depend on NumPy's ABI. Results of
** unknown size come back as bytearrays, which NumPy views without a copy.
*/

/* generate_stubs.py reads the types of the core from these: of arguments, and of what is returned. */
%feature("python:annotations", "c");
%feature("autodoc", "1");

%{
/* Raises perfmodel's own exception: _errors.raise_error(status name, text, file, line). */
static void python_raise(const pm_error *error)
{
  PyObject *module = PyImport_ImportModule("perfmodel._errors");
  PyObject *result = NULL;
  const pm_choice *statuses = pm_record_find_field(pm_record_type_find("prediction"), "status")->choices;
  char file[sizeof error->text];
  snprintf(file, sizeof file, "%.*s", error->file_length, error->text);
  if (module != NULL)
    result = PyObject_CallMethod(module, "raise_error", "sssi", statuses[error->status].name, error->text, file,
                                 error->line);
  Py_XDECREF(result); /* NULL: it raised */
  Py_XDECREF(module);
}

/* Raises that another type was expected. The stable interface of wheels has no names of types in C. */
static void python_wrong_type(const char *expected, PyObject *got)
{
  PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(got), "__name__");
  if (name == NULL) return;
  PyErr_Format(PyExc_TypeError, "expected %s, got %.80U", expected, name);
  Py_DECREF(name);
}

/* The UTF-8 of a str, or NULL with an exception. Lives as long as the object. */
static const char *python_text(PyObject *object)
{
  Py_ssize_t size = 0;
  const char *text = NULL;
  if (!PyUnicode_Check(object)) {
    python_wrong_type("text", object);
    return NULL;
  }
  text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text != NULL && strlen(text) != (size_t)size) {
    PyErr_SetString(PyExc_ValueError, "text with a zero byte in it");
    return NULL;
  }
  return text;
}

/* A C-contiguous buffer of whole items of `size` bytes (1: of any), released by the caller. 0 with an exception. */
static int python_buffer(PyObject *object, Py_buffer *view, size_t size, int flags, const char *what)
{
  char expected[160];
  snprintf(expected, sizeof expected, "a C-contiguous array of %s", what);
  if (object == Py_None || PyObject_GetBuffer(object, view, flags) != 0) { /* NumPy may be without memory */
    if (!PyErr_ExceptionMatches(PyExc_MemoryError))
      python_wrong_type(expected, object);
    return 0;
  }
  if (size == 1 || ((size_t)view->len % size == 0 && (view->itemsize == 1 || (size_t)view->itemsize == size))) return 1;
  PyErr_Format(PyExc_TypeError, "array of %zd-byte items where %s of %zu bytes are meant", view->itemsize, what, size);
  PyBuffer_Release(view);
  return 0;
}

/* A list of texts as an array to free. NULL with an exception. */
static const char **python_names(PyObject *object, size_t *count)
{
  const char **names = NULL;
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    python_wrong_type("a list of text", object);
    return NULL;
  }
  *count = (size_t)PySequence_Size(object);
  names = (const char **)calloc(*count + 1, sizeof *names);
  if (names == NULL) PyErr_NoMemory();
  for (size_t i = 0; names != NULL && i < *count; i++) {
    PyObject *item = PySequence_GetItem(object, (Py_ssize_t)i);
    names[i] = item != NULL ? python_text(item) : NULL;
    Py_XDECREF(item); /* the list keeps it */
    if (names[i] == NULL) {
      free(names);
      return NULL;
    }
  }
  return names;
}

/* A dict of text by text as an array to free. NULL with an exception. */
static pm_attribute *python_attributes(PyObject *object, size_t *count)
{
  pm_attribute *attributes = NULL;
  PyObject *key = NULL, *value = NULL;
  Py_ssize_t position = 0;
  if (!PyDict_Check(object)) {
    python_wrong_type("a dict of text", object);
    return NULL;
  }
  *count = 0;
  attributes = (pm_attribute *)calloc((size_t)PyDict_Size(object) + 1, sizeof *attributes);
  if (attributes == NULL) PyErr_NoMemory();
  while (attributes != NULL && PyDict_Next(object, &position, &key, &value)) {
    attributes[*count].name = python_text(key);
    attributes[*count].value = attributes[*count].name == NULL ? NULL : python_text(value);
    if (attributes[*count].value == NULL) {
      free(attributes);
      return NULL;
    }
    (*count)++;
  }
  return attributes;
}

static PyObject *python_records(const records *array)
{
  if (array->data == NULL) return SWIG_Py_Void();
  return PyByteArray_FromStringAndSize((const char *)array->data, (Py_ssize_t)(array->count * array->type->size));
}

static PyObject *python_list(const names *array)
{
  PyObject *list = PyList_New((Py_ssize_t)array->count);
  for (size_t i = 0; list != NULL && i < array->count; i++) {
    PyObject *item = PyUnicode_DecodeUTF8(array->data[i], (Py_ssize_t)strlen(array->data[i]), "replace");
    if (item == NULL) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list;
}
%}

/* ---- Errors ---- */
%typemap(in, numinputs=0) pm_error *error (pm_error temp = PM_ERROR_NONE) "$1 = &temp;"
%typemap(argout) pm_error *error {
  if ($1->status != PM_OK) {
    Py_XDECREF($result);
    $result = NULL;
    python_raise($1);
    SWIG_fail;
  }
}

/* ---- Text ---- */
%typemap(in) const char * {
  $1 = (char *)python_text($input);
  if ($1 == NULL) SWIG_fail;
}
%typemap(freearg) const char * "";

/* ---- Handles: None converts to NULL, which must not reach C ---- */
%define PM_BORROWED(type)
PM_HANDLE(type)
%nodefaultctor type;
%nodefaultdtor type;
typedef struct type {
} type;
%typemap(out) const type * "$result = SWIG_NewPointerObj((void *)$1, $descriptor(type *), 0);"
%enddef

%define PM_HANDLE(type)
%typemap(check) type *, const type * {
  if ($1 == NULL) {
    PyErr_SetString(PyExc_TypeError, "expected a " #type ", got None");
    SWIG_fail;
  }
}
%enddef

%define PM_HANDLES_IN(type)
%typemap(in) (const type *const *HANDLES, size_t COUNT) {
  if (!PyList_Check($input)) {
    PyErr_SetString(PyExc_TypeError, "expected a list of " #type);
    SWIG_fail;
  }
  $2 = (size_t)PyList_Size($input);
  $1 = (type **)calloc($2 + 1, sizeof(type *));
  if ($1 == NULL) {
    PyErr_NoMemory();
    SWIG_fail;
  }
  for (size_t i = 0; i < $2; i++) {
    void *item = NULL;
    int status = SWIG_ConvertPtr(PyList_GetItem($input, (Py_ssize_t)i), &item, $descriptor(type *), 0);
    if (!SWIG_IsOK(status) || item == NULL) {
      PyErr_SetString(PyExc_TypeError, "expected a list of " #type);
      SWIG_fail;
    }
    ((type **)$1)[i] = (type *)item;
  }
}
%typemap(freearg) (const type *const *HANDLES, size_t COUNT) "free((void *)$1);"
%enddef

/* ---- Arrays in ---- */
%define PM_BUFFER(type, arguments, flags, what)
%typemap(in) arguments (Py_buffer view = {0}) {
  if (!python_buffer($input, &view, sizeof(type), flags, what)) SWIG_fail;
  $1 = (type *)view.buf;
  $2 = (size_t)view.len / sizeof(type);
}
%typemap(freearg) arguments "if (view$argnum.obj != NULL) PyBuffer_Release(&view$argnum);"
%enddef

%define PM_RECORDS_IN(name)
PM_BUFFER(pm_##name, %arg((const pm_##name *name, size_t name##_count)), PyBUF_SIMPLE, #name " records")
%enddef
PM_BUFFER(double, %arg((const double *NUMBERS, size_t COUNT)), PyBUF_SIMPLE, "double numbers")

%typemap(in) any_records (Py_buffer view = {0}) {
  if (!python_buffer($input, &view, 1, PyBUF_SIMPLE, "records")) SWIG_fail;
  $1.type = NULL;
  $1.data = view.buf;
  $1.bytes = (size_t)view.len;
  $1.item = (size_t)view.itemsize;
}
%typemap(freearg) any_records "if (view$argnum.obj != NULL) PyBuffer_Release(&view$argnum);"

%typemap(in) (const char *const *NAMES, size_t COUNT) {
  $1 = (char **)python_names($input, &$2);
  if ($1 == NULL) SWIG_fail;
}
%typemap(freearg) (const char *const *NAMES, size_t COUNT) "free((void *)$1);"

%typemap(in) (const pm_attribute *ATTRIBUTES, size_t COUNT) {
  $1 = python_attributes($input, &$2);
  if ($1 == NULL) SWIG_fail;
}
%typemap(freearg) (const pm_attribute *ATTRIBUTES, size_t COUNT) "free((void *)$1);"

/* ---- Arrays out: bytearrays and lists ---- */
%typemap(out) records {
  $result = python_records(&$1);
  records_free(&$1);
  if ($result == NULL) SWIG_fail;
}
%typemap(out) numbers {
  $result = PyByteArray_FromStringAndSize((const char *)$1.data, (Py_ssize_t)($1.count * sizeof(double)));
  numbers_free(&$1);
  if ($result == NULL) SWIG_fail;
}
%typemap(out) names {
  $result = python_list(&$1);
  names_free(&$1);
  if ($result == NULL) SWIG_fail;
}

/* ---- The interpreter lock is released in what may take long: by many layers, rows or GPUs, or a long text. A network,
** which another thread may add layers to, has its lock; a study has copies, made with the interpreter's. ---- */
%define PM_UNLOCKED(function)
%exception function {
  Py_BEGIN_ALLOW_THREADS
  $action
  Py_END_ALLOW_THREADS
}
%enddef
PM_UNLOCKED(pm_catalog_load) /* of a catalogue that nothing else uses yet */
PM_UNLOCKED(prediction_trace)
PM_UNLOCKED(asked_runs) /* of numbers that are its own */
PM_UNLOCKED(study_complete) /* with the study's lock of _study.py */
PM_UNLOCKED(study_plan) /* with the study's lock of _study.py, as all that completes runs */
PM_UNLOCKED(study_predict) /* with the study's lock too */
PM_UNLOCKED(predict)
PM_UNLOCKED(predict_into)
PM_UNLOCKED(study_columns) /* with the study's lock too */
PM_UNLOCKED(search_new) /* of a study that nothing else uses */
PM_UNLOCKED(search_evaluate)
PM_UNLOCKED(training_table)
PM_UNLOCKED(collective_times)
PM_UNLOCKED(collective_loads)
PM_UNLOCKED(system_rings)
PM_UNLOCKED(system_ring)
PM_UNLOCKED(system_drawing)
PM_UNLOCKED(calibrate)
PM_UNLOCKED(validate_table)
PM_UNLOCKED(network_table) /* with the network's lock of _network.py, which adding a layer takes too */
PM_UNLOCKED(network_times) /* the same */
PM_UNLOCKED(network_totals) /* the same */
PM_UNLOCKED(pm_network_format_xml) /* the same */
PM_UNLOCKED(pm_model_read) /* a text makes a network of its own, as a catalogue does */
PM_UNLOCKED(pm_catalog_load_text) /* of a catalogue that nothing else uses yet */
PM_UNLOCKED(pm_catalog_new_network)
PM_UNLOCKED(pm_catalog_new_system)
PM_UNLOCKED(settings_table)
PM_UNLOCKED(settings_of_text)
PM_UNLOCKED(sensitivity_rows) /* with the study's lock too */
PM_UNLOCKED(table_select) /* of tables whose columns are chosen when they are made, before anybody has them */
PM_UNLOCKED(table_format)
PM_UNLOCKED(table_format_rows)
PM_UNLOCKED(table_numbers)
PM_UNLOCKED(table_texts)
PM_UNLOCKED(table_words)
PM_UNLOCKED(table_word_places)
PM_UNLOCKED(pm_table_pack)
PM_UNLOCKED(pm_table_unpack)

/* ---- A study refers to its catalogue and systems; a plan is its study's ---- */
%pythonappend study_new %{
    val._kept = (catalog, systems[:])
%}
%pythonappend study_plan %{
    val._kept = study
%}

/* ---- A search refers to its study's plan, and a result to its search ---- */
%pythonappend search_new %{
    val._kept = study
%}
%pythonappend search_result_new %{
    val._kept = search
%}

/* ---- Python only: predictions into an array that is there already, without allocating ---- */
PM_BUFFER(char, %arg((void *RESULTS, size_t BYTES)), PyBUF_WRITABLE, "predictions")

/* ---- Python only: one run of numbers by name, and what is predicted of it: two arrays of one record ---- */
%{
typedef struct answer {
  records run, result;
} answer;

/* A number by name. */
typedef struct setting {
  const char *name;
  double value;
} setting;

static answer answer_if_ok(answer both, const pm_error *error)
{
  both.run = records_if_ok(both.run, error);
  both.result = records_if_ok(both.result, error);
  return both;
}

/* A dict of numbers by name as an array to free. NULL with an exception. */
static setting *python_settings(PyObject *object, size_t *count)
{
  PyObject *key = NULL, *value = NULL;
  Py_ssize_t position = 0;
  setting *settings = NULL;
  *count = 0;
  if (!PyDict_Check(object))
    python_wrong_type("a dict of numbers", object);
  else if ((settings = (setting *)calloc((size_t)PyDict_Size(object) + 1, sizeof *settings)) == NULL) PyErr_NoMemory();
  while (settings != NULL && PyDict_Next(object, &position, &key, &value)) {
    setting *next = &settings[(*count)++];
    next->name = python_text(key);
    next->value = next->name != NULL ? PyFloat_AsDouble(value) : -1;
    if (next->name != NULL && (next->value != -1 || PyErr_Occurred() == NULL)) continue;
    free(settings);
    return NULL;
  }
  return settings;
}
%}

%typemap(in) (const setting *SETTINGS, size_t COUNT) {
  $1 = python_settings($input, &$2);
  if ($1 == NULL) SWIG_fail;
}
%typemap(freearg) (const setting *SETTINGS, size_t COUNT) "free((void *)$1);"

%typemap(out) answer {
  $result = Py_BuildValue("(NN)", python_records(&$1.run), python_records(&$1.result));
  records_free(&$1.run);
  records_free(&$1.result);
  if ($result == NULL) SWIG_fail;
}
/* ---- Python only: tables as an Arrow stream, in the capsule that the Arrow PyCapsule interface describes ---- */
%{
#define ARROW_STREAM "arrow_array_stream"

/* Whoever took the stream over has set `release` to NULL. */
static void arrow_free(PyObject *capsule)
{
  struct ArrowArrayStream *stream = (struct ArrowArrayStream *)PyCapsule_GetPointer(capsule, ARROW_STREAM);
  if (stream == NULL) return;
  if (stream->release != NULL) stream->release(stream);
  free(stream);
}

/* NULL with an error, or with an exception. */
static PyObject *table_arrow(const pm_table *const *tables, size_t count, pm_error *error)
{
  PyObject *capsule = NULL;
  struct ArrowArrayStream *stream = (struct ArrowArrayStream *)calloc(1, sizeof *stream);
  if (stream == NULL) return PyErr_NoMemory();
  if (pm_table_export_arrow(tables, count, stream, error) == PM_OK) capsule = PyCapsule_New(stream, ARROW_STREAM,
                                                                                            arrow_free);
  if (capsule != NULL) return capsule;
  if (stream->release != NULL) stream->release(stream);
  free(stream);
  return NULL;
}
%}
