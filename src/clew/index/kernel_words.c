/* Words over all turns: postings of a term, BM25F with its windows, counts of frequent words. See kernel.h. */

#include "kernel.h"

/* The neighbours' weights that a window may have on both sides. */
#define NEIGHBOURS 64

/* ------------------------------------------------------------------------------------ postings: gather_postings */

/* A column of a segment, whose numbers have the least type that holds them. */
static int take_narrow(PyObject *segment, const char *name, Py_buffer *into) {
    PyObject *column = PyObject_GetAttrString(segment, name);
    if (column == NULL) return -1;
    int found = PyObject_GetBuffer(column, into, PyBUF_FORMAT | PyBUF_ND);
    Py_DECREF(column); /* its buffer keeps it */
    if (found < 0) return -1;
    const char *format = into->format == NULL ? "B" : into->format;
    if (*format == '<' || *format == '=') format++;
    if (into->ndim == 1 && format[0] != '\0' && format[1] == '\0' && strchr("BHILlqQ", format[0]) != NULL) return 0;
    PyErr_Format(PyExc_TypeError, "%s has the format %s; expected a row of numbers from 0 on", name, format);
    PyBuffer_Release(into);
    return -1;
}

static inline int64_t number_at(const Py_buffer *column, Py_ssize_t place) {
    switch (column->itemsize) {
    case 1: return ((const uint8_t *)column->buf)[place];
    case 2: return ((const uint16_t *)column->buf)[place];
    case 4: return ((const uint32_t *)column->buf)[place];
    default: return ((const int64_t *)column->buf)[place];
    }
}

typedef struct {
    PyObject *pieces, *body, *extra; /* bytearrays */
    Py_ssize_t count;
    int64_t df;
} Gathered;

static int enlarge(Gathered *into, Py_ssize_t by) {
    into->count += by;
    return PyByteArray_Resize(into->pieces, into->count * (Py_ssize_t)sizeof(int64_t)) < 0 ||
                   PyByteArray_Resize(into->body, into->count) < 0 || PyByteArray_Resize(into->extra, into->count) < 0
               ? -1
               : 0;
}

/* Adds the postings that one segment has of a term. */
static int gather_from(PyObject *segment, Py_ssize_t code, int64_t first, Gathered *into) {
    static const char *const names[] = {"start", "df", "piece", "body", "extra"};
    Py_buffer taken[5];
    int count = 0, found = -1;
    for (; count < 5; count++)
        if (take_narrow(segment, names[count], &taken[count]) < 0) goto done;
    const Py_buffer *start = &taken[0], *piece = &taken[2], *body = &taken[3], *extra = &taken[4];
    if (code < 0 || code + 1 >= length(start) || code >= length(&taken[1]) || body->itemsize != 1 || extra->itemsize != 1) {
        PyErr_SetString(PyExc_IndexError, "a segment does not have a term that its directory names");
        goto done;
    }
    int64_t low = number_at(start, code), high = number_at(start, code + 1);
    if (low < 0 || low > high || high > length(piece) || high > length(body) || high > length(extra)) {
        PyErr_SetString(PyExc_IndexError, "a segment has a term whose postings it lacks");
        goto done;
    }
    Py_ssize_t before = into->count, some = (Py_ssize_t)(high - low);
    if (enlarge(into, some) < 0) goto done;
    int64_t *pieces = (int64_t *)PyByteArray_AS_STRING(into->pieces) + before;
    for (Py_ssize_t at = 0; at < some; at++) pieces[at] = first + number_at(piece, (Py_ssize_t)low + at);
    memcpy(PyByteArray_AS_STRING(into->body) + before, (const char *)body->buf + low, (size_t)some);
    memcpy(PyByteArray_AS_STRING(into->extra) + before, (const char *)extra->buf + low, (size_t)some);
    into->df += number_at(&taken[1], code);
    found = 0;
done:
    release(taken, count);
    return found;
}

static PyObject *gather_postings(PyObject *self, PyObject *args) {
    PyObject *places, *segments, *found = NULL;
    if (!PyArg_ParseTuple(args, "O!O!:gather_postings", &PyList_Type, &places, &PyTuple_Type, &segments)) return NULL;
    Gathered into = {.count = 0, .df = 0};
    into.pieces = PyByteArray_FromStringAndSize(NULL, 0);
    into.body = PyByteArray_FromStringAndSize(NULL, 0);
    into.extra = PyByteArray_FromStringAndSize(NULL, 0);
    if (into.pieces == NULL || into.body == NULL || into.extra == NULL) goto done;
    for (Py_ssize_t each = 0; each < PyList_GET_SIZE(places); each++) {
        Py_ssize_t number, code;
        long long first;
        PyObject *segment;
        if (read_row(PyList_GET_ITEM(places, each), "nn", &number, &code) < 0) goto done;
        if (number < 0 || number >= PyTuple_GET_SIZE(segments)) {
            PyErr_SetString(PyExc_IndexError, "the directory names a segment that is not there");
            goto done;
        }
        if (read_row(PyTuple_GET_ITEM(segments, number), "OL", &segment, &first) < 0) goto done;
        if (gather_from(segment, code, first, &into) < 0) goto done;
    }
    found = Py_BuildValue("(OOOL)", into.pieces, into.body, into.extra, (long long)into.df);
done:
    Py_XDECREF(into.pieces);
    Py_XDECREF(into.body);
    Py_XDECREF(into.extra);
    return found;
}

/* ------------------------------------------------------------------------------------------- BM25F: add_term_scores */

/* An array of zeros that is kept between calls, one for all threads; whoever finds it taken makes one of its own. */
static uint16_t *kept_counts = NULL;
static Py_ssize_t kept_size = 0;

static uint16_t *take_counts(Py_ssize_t size, Py_ssize_t *taken) {
    if (kept_counts != NULL && kept_size >= size) {
        uint16_t *counts = kept_counts;
        *taken = kept_size;
        kept_counts = NULL;
        return counts;
    }
    *taken = size + size / 8;
    return calloc((size_t)*taken + 1, sizeof(uint16_t));
}

static void give_back(uint16_t *counts, Py_ssize_t size) {
    if (kept_counts != NULL && kept_size >= size) {
        free(counts);
        return;
    }
    free(kept_counts);
    kept_counts = counts;
    kept_size = size;
}

typedef struct {
    const int64_t *previous, *next;
    Py_ssize_t size, counted; /* of the links, and of the pieces that are counted */
    int own, before, after;
    uint16_t weights[NEIGHBOURS]; /* of the pieces before, then of those after */
} Window;

/* The neighbour of a piece in one direction; -1 for none, -2 for a link that leads out of the index. */
static inline int64_t follow(const int64_t *links, Py_ssize_t size, int64_t piece) {
    int64_t to = links[piece];
    return to < -1 || to >= size ? -2 : to;
}

/* Adds the counts of one term with its neighbours. Returns how many postings were read: all, unless a piece or a link
 * leads out of the index. */
static Py_ssize_t count_term(uint16_t *counts, const Window *window, const int64_t *pieces, const uint8_t *body,
                             const uint8_t *extra, Py_ssize_t count) {
    for (Py_ssize_t row = 0; row < count; row++) {
        int64_t piece = pieces[row], at = piece;
        if (piece < 0 || piece >= window->counted) return row;
        counts[piece] += (uint16_t)((body[row] + extra[row]) * window->own);
        if (body[row] == 0) continue;
        /* A piece's followers contain it in the "before" part of their windows, and vice versa. */
        for (int step = 0; step < window->before && at >= 0; step++)
            if ((at = follow(window->next, window->size, at)) >= 0 && at < window->counted)
                counts[at] += (uint16_t)(body[row] * window->weights[step]);
        if (at == -2) return row;
        at = piece;
        for (int step = 0; step < window->after && at >= 0; step++)
            if ((at = follow(window->previous, window->size, at)) >= 0 && at < window->counted)
                counts[at] += (uint16_t)(body[row] * window->weights[window->before + step]);
        if (at == -2) return row;
    }
    return count;
}

static inline void share(double *scores, const double *norms, double factor, uint16_t *counts, int64_t piece) {
    if (counts[piece] == 0) return;
    double held = (double)counts[piece];
    scores[piece] += held / (held + norms[piece]) * factor;
    counts[piece] = 0;
}

/* Adds the score of one term to the pieces that it reaches, and leaves no counts. Returns false where one is out of range. */
static bool add_seldom(double *scores, const double *norms, double factor, const Window *window, uint16_t *counts,
                       const int64_t *pieces, const uint8_t *body, const uint8_t *extra, Py_ssize_t count) {
    if (count_term(counts, window, pieces, body, extra, count) < count) {
        memset(counts, 0, (size_t)window->size * sizeof(uint16_t));
        return false;
    }
    for (Py_ssize_t row = 0; row < count; row++) {
        int64_t at = pieces[row];
        share(scores, norms, factor, counts, at);
        if (body[row] == 0) continue;
        for (int step = 0; step < window->before && at >= 0; step++)
            if ((at = follow(window->next, window->size, at)) >= 0) share(scores, norms, factor, counts, at);
        at = pieces[row];
        for (int step = 0; step < window->after && at >= 0; step++)
            if ((at = follow(window->previous, window->size, at)) >= 0) share(scores, norms, factor, counts, at);
    }
    return true;
}

WIDE static void add_frequent(double *restrict scores, const double *restrict norms, double factor,
                         const uint16_t *restrict counts, Py_ssize_t size) {
    for (Py_ssize_t piece = 0; piece < size; piece++) {
        double held = (double)counts[piece];
        scores[piece] += held / (held + norms[piece]) * factor;
    }
}

WIDE static void add_frequent_bytes(double *restrict scores, const double *restrict norms, double factor,
                               const uint8_t *restrict counts, Py_ssize_t size) {
    for (Py_ssize_t piece = 0; piece < size; piece++) {
        double held = (double)counts[piece];
        scores[piece] += held / (held + norms[piece]) * factor;
    }
}

static void add_counts(double *scores, const double *norms, double factor, const Py_buffer *counts) {
    if (counts->itemsize == 1) add_frequent_bytes(scores, norms, factor, counts->buf, length(counts));
    else add_frequent(scores, norms, factor, counts->buf, length(counts));
}

static int read_weights(PyObject *from, uint16_t *into, int most, long *total, const char *name) {
    Py_ssize_t count = PyTuple_Check(from) ? PyTuple_GET_SIZE(from) : -1;
    if (count < 0 || count > most) {
        PyErr_Format(PyExc_ValueError, "%s: expected a tuple of at most %d weights", name, most);
        return -1;
    }
    for (Py_ssize_t each = 0; each < count; each++) {
        long weight = PyLong_AsLong(PyTuple_GET_ITEM(from, each));
        if (weight == -1 && PyErr_Occurred()) return -1;
        if (weight < 0 || weight > UINT16_MAX) {
            PyErr_Format(PyExc_ValueError, "%s: a weight is %ld; expected 0 to %d", name, weight, UINT16_MAX);
            return -1;
        }
        into[each] = (uint16_t)weight;
        *total += weight;
    }
    return (int)count;
}

static int read_window(PyObject *from, Window *window) {
    PyObject *before, *after;
    if (read_row(from, "iOO", &window->own, &before, &after) < 0) return -1;
    long total = 2 * (long)window->own;
    if ((window->before = read_weights(before, window->weights, NEIGHBOURS / 2, &total, "before")) < 0) return -1;
    if ((window->after = read_weights(after, window->weights + window->before, NEIGHBOURS / 2, &total, "after")) < 0) return -1;
    if (window->own >= 1 && window->own <= UINT16_MAX && total * UINT8_MAX <= UINT16_MAX) return 0;
    PyErr_Format(PyExc_ValueError, "the weights of the window sum to %ld; counts would exceed 16 bits", total);
    return -1;
}

/* Takes the pieces, body and extra of a term's postings. */
static int take_postings(PyObject *const from[3], Py_buffer taken[3]) {
    static const char *const names[] = {"pieces", "body", "extra"};
    static const char *const kinds[] = {WHOLE, "B", "B"};
    for (int each = 0; each < 3; each++)
        if (take_row(from[each], &taken[each], kinds[each], each ? 1 : 8, false, names[each]) < 0) {
            release(taken, each);
            return -1;
        }
    if (length(&taken[1]) == length(&taken[0]) && length(&taken[2]) == length(&taken[0])) return 0;
    PyErr_SetString(PyExc_ValueError, "pieces, body and extra differ in length");
    release(taken, 3);
    return -1;
}

static void set_out_of_range(void) {
    PyErr_SetString(PyExc_IndexError, "a posting or a link names a piece that the index does not have");
}

static int add_frequent_term(PyObject *from, double *scores, const double *norms, double factor, Py_ssize_t size) {
    Py_buffer counts;
    bool are_bytes = PyObject_CheckBuffer(from) && take_row(from, &counts, "B", 1, false, "counts") == 0;
    if (!are_bytes) {
        PyErr_Clear();
        if (take_row(from, &counts, "H", 2, false, "counts") < 0) return -1;
    }
    int found = 0;
    if (length(&counts) > size) {
        PyErr_SetString(PyExc_ValueError, "there are more counts than scores");
        found = -1;
    } else if (size > LONG) {
        Py_BEGIN_ALLOW_THREADS
        add_counts(scores, norms, factor, &counts);
        Py_END_ALLOW_THREADS
    } else {
        add_counts(scores, norms, factor, &counts);
    }
    PyBuffer_Release(&counts);
    return found;
}

static int add_seldom_term(PyObject *term, double *scores, const double *norms, double factor, const Window *window) {
    Py_buffer taken[3];
    if (take_postings(&PyTuple_GET_ITEM(term, 1), taken) < 0) return -1;
    int found = -1;
    Py_ssize_t count = length(&taken[0]), held = 0;
    uint16_t *counts = take_counts(window->size, &held);
    if (counts == NULL) {
        PyErr_NoMemory();
    } else {
        bool fits;
        const int64_t *pieces = taken[0].buf;
        const uint8_t *body = taken[1].buf, *extra = taken[2].buf;
        if (count > LONG / 8) {
            Py_BEGIN_ALLOW_THREADS
            fits = add_seldom(scores, norms, factor, window, counts, pieces, body, extra, count);
            Py_END_ALLOW_THREADS
        } else {
            fits = add_seldom(scores, norms, factor, window, counts, pieces, body, extra, count);
        }
        give_back(counts, held);
        if (fits) found = 0;
        else set_out_of_range();
    }
    release(taken, 3);
    return found;
}

static PyObject *count_in_windows(PyObject *self, PyObject *args) {
    PyObject *places[3], *postings[3], *weights, *distant; /* the last is of use to the reference alone */
    if (!PyArg_ParseTuple(args, "O(OO)O!OOOO:count_in_windows", &places[0], &places[1], &places[2], &PyTuple_Type, &weights,
                          &postings[0], &postings[1], &postings[2], &distant))
        return NULL;
    Window window;
    if (read_window(weights, &window) < 0) return NULL;
    Py_buffer taken[6];
    static const char *const names[] = {"counts", "previous", "next"};
    for (int each = 0; each < 3; each++)
        if (take_row(places[each], &taken[each], each ? WHOLE : "H", each ? 8 : 2, each == 0, names[each]) < 0) {
            release(taken, each);
            return NULL;
        }
    PyObject *found = NULL;
    int count = 3;
    window.counted = length(&taken[0]), window.size = length(&taken[1]);
    window.previous = taken[1].buf, window.next = taken[2].buf;
    if (length(&taken[2]) != window.size || window.counted > window.size) {
        PyErr_SetString(PyExc_ValueError, "the links differ in length, or there are more counts than links");
        goto done;
    }
    if (take_postings(postings, &taken[3]) < 0) goto done;
    count = 6;
    if (count_term(taken[0].buf, &window, taken[3].buf, taken[4].buf, taken[5].buf, length(&taken[3])) == length(&taken[3]))
        found = Py_NewRef(Py_None);
    else set_out_of_range();
done:
    release(taken, count);
    return found;
}

static PyObject *add_term_scores(PyObject *self, PyObject *args) {
    PyObject *places[4], *weights, *terms, *found = NULL;
    if (!PyArg_ParseTuple(args, "OO(OO)O!O!:add_term_scores", &places[0], &places[1], &places[2], &places[3], &PyTuple_Type,
                          &weights, &PyList_Type, &terms))
        return NULL;
    Window window;
    if (read_window(weights, &window) < 0) return NULL;
    Py_buffer taken[4];
    static const char *const names[] = {"scores", "norms", "previous", "next"};
    for (int each = 0; each < 4; each++)
        if (take_row(places[each], &taken[each], each < 2 ? "d" : WHOLE, 8, each == 0, names[each]) < 0) {
            release(taken, each);
            return NULL;
        }
    window.size = window.counted = length(&taken[0]);
    window.previous = taken[2].buf, window.next = taken[3].buf;
    for (int each = 1; each < 4; each++)
        if (length(&taken[each]) != window.size) {
            PyErr_Format(PyExc_ValueError, "%s and scores differ in length", names[each]);
            goto done;
        }
    for (Py_ssize_t number = 0; number < PyList_GET_SIZE(terms); number++) {
        PyObject *term = PyList_GET_ITEM(terms, number);
        if (!PyTuple_Check(term) || PyTuple_GET_SIZE(term) != 5) {
            PyErr_SetString(PyExc_TypeError, "a term is (factor, pieces, body, extra, counts)");
            goto done;
        }
        double factor = PyFloat_AsDouble(PyTuple_GET_ITEM(term, 0));
        if (factor == -1.0 && PyErr_Occurred()) goto done;
        if (!isfinite(factor)) {
            PyErr_SetString(PyExc_ValueError, "a term's factor is not finite");
            goto done;
        }
        PyObject *counts = PyTuple_GET_ITEM(term, 4);
        Py_INCREF(term); /* other threads may go on, and change the list */
        int added = counts == Py_None ? add_seldom_term(term, taken[0].buf, taken[1].buf, factor, &window)
                                      : add_frequent_term(counts, taken[0].buf, taken[1].buf, factor, window.size);
        Py_DECREF(term);
        if (added < 0) goto done;
    }
    found = Py_NewRef(Py_None);
done:
    release(taken, 4);
    return found;
}

/* ---------------------------------------------------------------------------------------------------------- module */

static PyMethodDef functions[] = {
    {"gather_postings", gather_postings, METH_VARARGS, NULL},
    {"add_term_scores", add_term_scores, METH_VARARGS, NULL},
    {"count_in_windows", count_in_windows, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel_words", "Words over all turns in C; see clew.index.kernel.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernel_words(void) { return PyModule_Create(&definition); }
