/* Entrances of the machine code that comes with the package: how Python calls it without Numba.

   Each piece of code has a function of two arguments, which takes its arguments out of one block of words and puts its
   results into another. Here words are made of Python's objects, and objects of words. What the arguments have to be is a
   text, one item for each:

     i d b n o   an int, a float, a truth value, None, any object
     A...        an array of NumPy: the letter of its numbers, how many axes, its order (C, F or A), and w, or r if it may
                 not be written to
     ( ... )     a tuple of such items

   Where an argument is something else, what is given as `otherwise` is called with all of them.

   The words of an array are those of Numba's arrays: two that are nothing here, how many numbers there are, how long each
   is, where the first one is, the shape, and the strides. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Code)(int64_t *words, int64_t *results);

typedef struct {
    const char *name;
    Code code;     /* with arguments in words */
    void *address; /* as other compiled code calls it */
} Piece;

typedef struct {
    const char *name;
    int64_t *place;
} Number;

typedef struct {
    const char *name;
    const Piece *pieces; /* in the order of their names */
    size_t count;
} Level;

/* from the table that is written with the code: the best level comes first */
extern const Level levels[];
extern const Number numbers[];
extern const size_t level_count, number_count;
int runs_here(size_t level);

static const Level *level;
static PyObject *class_of_arrays, *empty;

/* ------------------------------------------------------------------------------- what NumPy's binary interface lays down */

typedef struct {
    PyObject_HEAD
    PyTypeObject *class_of_numbers;
    char kind, letter, order, reserved;
    int number;
} Dtype;

typedef struct {
    PyObject_HEAD
    char *data;
    int axes;
    Py_ssize_t *shape, *strides;
    PyObject *base;
    Dtype *dtype;
    int flags;
} Array;

enum { C_CONTIGUOUS = 1, F_CONTIGUOUS = 2, ALIGNED = 0x100, WRITEABLE = 0x400 };

static Py_ssize_t size_of(char letter)
{
    switch (letter) {
    case '?': case 'b': case 'B': return 1;
    case 'h': case 'H': return 2;
    case 'i': case 'I': case 'f': return 4;
    case 'D': return 16;
    default: return 8; /* d, l, L, q, Q, F */
    }
}

static int is_named(PyObject *x, const char *name, const char *other)
{
    const char *own = Py_TYPE(x)->tp_name;
    return strcmp(own, name) == 0 || strcmp(own, other) == 0;
}

/* ------------------------------------------------------------------------------------------------------ objects to words */

static int take(PyObject *x, const char **takes, int64_t **words)
{
    switch (*(*takes)++) {
    case 'o':
        *(*words)++ = (int64_t)(intptr_t)x;
        return 1;
    case 'n':
        *(*words)++ = 0;
        return x == Py_None;
    case 'i': {
        long long value;
        if (PyLong_CheckExact(x)) {
            value = PyLong_AsLongLong(x);
        } else if (is_named(x, "numpy.int64", "numpy.intp")) {
            PyObject *number = PyNumber_Index(x);
            value = number ? PyLong_AsLongLong(number) : -1;
            Py_XDECREF(number);
        } else {
            return 0;
        }
        if (value == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        *(*words)++ = value;
        return 1;
    }
    case 'd': {
        if (!PyFloat_Check(x)) /* of which numpy.float64 is one */
            return 0;
        double value = PyFloat_AS_DOUBLE(x);
        memcpy((*words)++, &value, sizeof value);
        return 1;
    }
    case 'b':
        if (PyBool_Check(x))
            *(*words)++ = x == Py_True;
        else if (is_named(x, "numpy.bool", "numpy.bool_"))
            *(*words)++ = PyObject_IsTrue(x);
        else
            return 0;
        return 1;
    case 'A': {
        const char letter = *(*takes)++;
        const int axes = *(*takes)++ - '0';
        const char order = *(*takes)++, mode = *(*takes)++;
        const Array *array = (const Array *)x;
        if ((PyObject *)Py_TYPE(x) != class_of_arrays || array->axes != axes || array->dtype->letter != letter)
            return 0;
        if (array->dtype->order != '=' && array->dtype->order != '|')
            return 0;
        const int flags = array->flags;
        const char own = flags & C_CONTIGUOUS ? 'C' : flags & F_CONTIGUOUS ? 'F' : 'A';
        if (own != order || !(flags & ALIGNED) || (mode == 'w') != !!(flags & WRITEABLE))
            return 0;
        int64_t *w = *words, count = 1;
        for (int k = 0; k < axes; k++)
            count *= array->shape[k];
        w[0] = w[1] = 0;
        w[2] = count;
        w[3] = size_of(letter);
        w[4] = (int64_t)(intptr_t)array->data;
        for (int k = 0; k < axes; k++) {
            w[5 + k] = array->shape[k];
            w[5 + axes + k] = array->strides[k];
        }
        *words = w + 5 + 2 * axes;
        return 1;
    }
    case '(': {
        if (!PyTuple_Check(x))
            return 0;
        Py_ssize_t k = 0, n = PyTuple_GET_SIZE(x);
        for (; **takes != ')'; k++)
            if (k >= n || !take(PyTuple_GET_ITEM(x, k), takes, words))
                return 0;
        ++*takes;
        return k == n;
    }
    default:
        return 0;
    }
}

/* ------------------------------------------------------------------------------------------------------ words to objects */

/* Memory of compiled code: a head whose first word counts references, as Numba has it, with the numbers behind it. */
typedef struct {
    size_t references;
    void (*end)(void *, size_t, void *);
    void *of_end, *data;
    size_t size;
    void *unused[3];
} Memory;

void *NRT_MemInfo_alloc_aligned(size_t size, unsigned align)
{
    Memory *memory = malloc(sizeof(Memory) + size + align);
    if (memory == NULL)
        return NULL;
    const uintptr_t first = (uintptr_t)(memory + 1) + align - 1;
    memset(memory, 0, sizeof *memory);
    memory->references = 1;
    memory->data = (void *)(first - first % align);
    memory->size = size;
    return memory;
}

void NRT_Free(void *memory)
{
    free(memory);
}

void NRT_MemInfo_call_dtor(Memory *memory)
{
    if (memory->end != NULL)
        memory->end(memory->data, memory->size, memory->of_end);
    free(memory);
}

static PyObject *as_array(char letter, int axes, const int64_t *words)
{
    /* a copy, in an array of NumPy's own */
    Memory *memory = (Memory *)(intptr_t)words[0];
    PyObject *shape = PyTuple_New(axes), *found = NULL;
    for (int k = 0; shape != NULL && k < axes; k++) {
        PyObject *length = PyLong_FromLongLong(words[5 + k]);
        if (length == NULL)
            Py_CLEAR(shape);
        else
            PyTuple_SET_ITEM(shape, k, length);
    }
    if (shape != NULL) {
        found = PyObject_CallFunction(empty, "OC", shape, letter);
        Py_DECREF(shape);
    }
    if (found != NULL)
        memcpy(((Array *)found)->data, (const void *)(intptr_t)words[4], words[2] * words[3]);
    if (memory != NULL && --memory->references == 0)
        NRT_MemInfo_call_dtor(memory);
    return found;
}

static PyObject *give(const char **gives, const int64_t **words)
{
    switch (*(*gives)++) {
    case 'o':
        return (PyObject *)(intptr_t)*(*words)++;
    case 'i':
        return PyLong_FromLongLong(*(*words)++);
    case 'b':
        return PyBool_FromLong(*(*words)++ & 1);
    case 'd': {
        double value;
        memcpy(&value, (*words)++, sizeof value);
        return PyFloat_FromDouble(value);
    }
    case '(': {
        PyObject *items = PyList_New(0), *found = NULL;
        while (items != NULL && **gives != ')') {
            PyObject *item = give(gives, words);
            if (item == NULL || PyList_Append(items, item) < 0)
                Py_CLEAR(items);
            Py_XDECREF(item);
        }
        ++*gives;
        if (items != NULL)
            found = PyList_AsTuple(items);
        Py_XDECREF(items);
        return found;
    }
    case 'A': {
        const char *text = *gives;
        const int64_t *own = *words;
        *gives += 4;
        *words += 5 + 2 * (text[1] - '0');
        return as_array(text[0], text[1] - '0', own);
    }
    default: /* n */
        ++*words;
        Py_RETURN_NONE;
    }
}

/* ------------------------------------------------------------------------------------------------------------- entrances */

enum { MOST_RESULTS = 256, FINE = 0, NONE = -2 }; /* statuses as Numba has them */

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    const Piece *piece;
    PyObject *takes_text, *gives_text, *otherwise;
    const char *takes, *gives;
    Py_ssize_t words;
    int holds_lock;
} Entrance;

static PyObject *enter(PyObject *callable, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Entrance *self = (Entrance *)callable;
    const Py_ssize_t n = PyVectorcall_NARGS(flags);
    int64_t words[self->words], results[MOST_RESULTS], *w = words;
    const char *takes = self->takes;
    int fits = names == NULL || PyTuple_GET_SIZE(names) == 0;
    for (Py_ssize_t k = 0; fits && k < n; k++)
        fits = *takes && take(arguments[k], &takes, &w);
    if (!fits || *takes)
        return PyObject_Vectorcall(self->otherwise, arguments, flags, names);
    int status;
    if (self->holds_lock) {
        status = self->piece->code(words, results);
    } else {
        PyThreadState *state = PyEval_SaveThread();
        status = self->piece->code(words, results);
        PyEval_RestoreThread(state);
    }
    if (status == NONE)
        Py_RETURN_NONE;
    if (status != FINE) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_RuntimeError, "compiled code ended with status %d", status);
        return NULL;
    }
    const char *gives = self->gives;
    const int64_t *r = results;
    return give(&gives, &r);
}

static void forget(PyObject *object)
{
    Entrance *self = (Entrance *)object;
    PyObject_GC_UnTrack(object);
    Py_XDECREF(self->takes_text);
    Py_XDECREF(self->gives_text);
    Py_XDECREF(self->otherwise);
    Py_TYPE(object)->tp_free(object);
}

static int visit_all(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(((Entrance *)object)->otherwise);
    return 0;
}

static int clear(PyObject *object)
{
    Py_CLEAR(((Entrance *)object)->otherwise);
    return 0;
}

static PyObject *get_address(PyObject *object, void *unused)
{
    return PyLong_FromVoidPtr(((Entrance *)object)->piece->address);
}

static PyObject *get_name(PyObject *object, void *unused)
{
    return PyUnicode_FromString(((Entrance *)object)->piece->name);
}

static PyGetSetDef attributes[] = {
    {"address", get_address, NULL, "Address of the machine code, as other compiled code calls it.", NULL},
    {"name", get_name, NULL, "Name of the piece of code.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject EntranceType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pluecker.Entrance",
    .tp_basicsize = sizeof(Entrance),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    .tp_vectorcall_offset = offsetof(Entrance, call),
    .tp_call = PyVectorcall_Call,
    .tp_dealloc = forget,
    .tp_traverse = visit_all,
    .tp_clear = clear,
    .tp_getset = attributes,
    .tp_doc = "Machine code that comes with the package, as Python calls it.",
};

/* ---------------------------------------------------------------------- what code calls that Numba would bring along */

double numba_ldexp(double x, int exponent)
{
    return isfinite(x) && x != 0.0 ? ldexp(x, exponent) : x;
}

double numba_frexp(double x, int *exponent)
{
    *exponent = 0;
    return isfinite(x) && x != 0.0 ? frexp(x, exponent) : x;
}

/* The strides of an array with another shape, if its numbers follow one another in C order; else 0. */
int numba_attempt_nocopy_reshape(Py_ssize_t axes, const Py_ssize_t *shape, const Py_ssize_t *strides, Py_ssize_t new_axes,
                                 const Py_ssize_t *new_shape, Py_ssize_t *new_strides, Py_ssize_t size, int unused)
{
    (void)unused;
    Py_ssize_t before = 1, after = 1, stride = size;
    for (Py_ssize_t k = 0; k < axes; k++)
        before *= shape[k];
    for (Py_ssize_t k = 0; k < new_axes; k++)
        after *= new_shape[k];
    if (before != after)
        return 0;
    for (Py_ssize_t k = axes - 1; before != 0 && k >= 0; stride *= shape[k], k--) /* nothing has any strides */
        if (shape[k] != 1 && strides[k] != stride)
            return 0;
    stride = size;
    for (Py_ssize_t k = new_axes - 1; k >= 0; stride *= new_shape[k], k--)
        new_strides[k] = stride;
    return 1;
}

/* ----------------------------------------------------------------------------------------------------------- the module */

static const Piece *find(const char *name)
{
    size_t low = 0, high = level ? level->count : 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(level->pieces[middle].name, name);
        if (order == 0)
            return &level->pieces[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static PyObject *make_entrance(PyObject *module, PyObject *arguments)
{
    const char *name, *takes, *gives;
    PyObject *takes_text, *gives_text, *otherwise;
    int holds_lock;
    if (!PyArg_ParseTuple(arguments, "sUUpO", &name, &takes_text, &gives_text, &holds_lock, &otherwise))
        return NULL;
    const Piece *piece = find(name);
    if (piece == NULL)
        Py_RETURN_NONE;
    if ((takes = PyUnicode_AsUTF8(takes_text)) == NULL || (gives = PyUnicode_AsUTF8(gives_text)) == NULL)
        return NULL;
    Entrance *self = PyObject_GC_New(Entrance, &EntranceType);
    if (self == NULL)
        return NULL;
    self->call = enter;
    self->piece = piece;
    self->takes = takes;
    self->gives = gives;
    self->holds_lock = holds_lock;
    self->words = 1;
    for (const char *t = takes; *t; t++)
        if (*t == 'A') {
            self->words += 5 + 2 * (t[2] - '0');
            t += 4;
        } else {
            self->words++;
        }
    Py_INCREF(takes_text);
    Py_INCREF(gives_text);
    Py_INCREF(otherwise);
    self->takes_text = takes_text;
    self->gives_text = gives_text;
    self->otherwise = otherwise;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

static PyObject *number(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL)
        return NULL;
    for (size_t k = 0; k < number_count; k++)
        if (strcmp(numbers[k].name, text) == 0)
            return PyLong_FromVoidPtr(numbers[k].place);
    Py_RETURN_NONE;
}

static PyObject *choose(PyObject *module, PyObject *arguments)
{
    const char *name;
    if (!PyArg_ParseTuple(arguments, "zOO", &name, &class_of_arrays, &empty))
        return NULL;
    Py_INCREF(class_of_arrays);
    Py_INCREF(empty);
    level = NULL;
    for (size_t k = 0; k < level_count && level == NULL; k++)
        if (runs_here(k) && (name == NULL || strcmp(levels[k].name, name) == 0))
            level = &levels[k];
    if (level == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(level->name);
}

static PyMethodDef functions[] = {
    {"choose", choose, METH_VARARGS,
     "choose(name, class_of_arrays, empty): choose the level of that name, or the best, of those that run here, and say which "
     "class arrays have, and what makes one; the name of the level, or None."},
    {"entrance", make_entrance, METH_VARARGS,
     "entrance(name, takes, gives, holds_lock, otherwise): make the entrance of a piece of code; None if it is not there."},
    {"number", number, METH_O, "number(name): the address of the number of that name, or None."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "code_of_levels", "Machine code that comes with the package.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_code_of_levels(void)
{
    if (PyType_Ready(&EntranceType) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
