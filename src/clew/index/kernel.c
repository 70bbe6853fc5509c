/* The steps of ranking that go over all turns, for the compiled build. See kernel.py for how one is chosen.
 *
 * Each function does what the Python function of its name does, which is decorated with `in_c` and documents it, and
 * gives the same results to the last bit: operations on floats are the same, in the same order, and never contracted.
 * Sizes, types and indexes are checked at the entry or where they are read, so that no input can touch foreign memory.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The neighbours' weights that a window may have on both sides, and the pieces from which other threads may go on. */
#define NEIGHBOURS 64
#define LONG 65536
/* Values that are added up at a time: few enough to stay in the processor's nearest cache. */
#define BLOCK 1024
/* As GROUP, GROUPS and the margin of `clew.rank.fusion`. */
#define GROUP 32
#define GROUPS 3
#define MARGIN 2e-6
#define FORMS 8
/* Vectors that are fetched from memory before they are read. */
#define AHEAD 16

/* Loops that are also compiled for wider registers, of which the processor's are taken when the module is loaded. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* ------------------------------------------------------------------------------------------------------- arguments */

/* Takes the contiguous buffer of an array; `kinds` are the letters of struct that are allowed, all of one size. */
static int take(PyObject *from, Py_buffer *into, const char *kinds, Py_ssize_t itemsize, bool writable, const char *name) {
    int flags = PyBUF_FORMAT | PyBUF_ND | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(from, into, flags) < 0) return -1;
    const char *format = into->format == NULL ? "B" : into->format;
    if (*format == '<' || *format == '=' || *format == '@') format++;
    if (format[0] != '\0' && format[1] == '\0' && strchr(kinds, format[0]) != NULL && into->itemsize == itemsize) return 0;
    PyErr_Format(PyExc_TypeError, "%s has items of format %s and %zd bytes; expected one of %s, %zd bytes", name, format,
                 into->itemsize, kinds, itemsize);
    PyBuffer_Release(into);
    return -1;
}

static int take_row(PyObject *from, Py_buffer *into, const char *kinds, Py_ssize_t itemsize, bool writable, const char *name) {
    if (take(from, into, kinds, itemsize, writable, name) < 0) return -1;
    if (into->ndim == 1) return 0;
    PyErr_Format(PyExc_ValueError, "%s has %d dimensions; expected 1", name, into->ndim);
    PyBuffer_Release(into);
    return -1;
}

/* Reads a row of an argument as PyArg_ParseTuple does. */
static int read_row(PyObject *row, const char *format, ...) {
    if (!PyTuple_Check(row)) {
        PyErr_Format(PyExc_TypeError, "a row is of type %s; expected a tuple", Py_TYPE(row)->tp_name);
        return -1;
    }
    va_list into;
    va_start(into, format);
    int read = PyArg_VaParse(row, format, into);
    va_end(into);
    return read ? 0 : -1;
}

static Py_ssize_t length(const Py_buffer *row) { return row->shape[0]; }

#define WHOLE "lqn"

static void release(Py_buffer *taken, int count) {
    for (int each = 0; each < count; each++) PyBuffer_Release(&taken[each]);
}

/* The highest of some values, in four lanes, since one would wait for itself; -infinity if all are NaN. */
static double highest(const double *values, Py_ssize_t count) {
    double most[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    Py_ssize_t at = 0;
    for (; at + 4 <= count; at += 4)
        for (int lane = 0; lane < 4; lane++) most[lane] = values[at + lane] > most[lane] ? values[at + lane] : most[lane];
    for (; at < count; at++) most[0] = values[at] > most[0] ? values[at] : most[0];
    for (int lane = 1; lane < 4; lane++) most[0] = most[lane] > most[0] ? most[lane] : most[0];
    return most[0];
}

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
    if (take_row(from, &counts, "H", 2, false, "counts") < 0) return -1;
    int found = 0;
    if (length(&counts) > size) {
        PyErr_SetString(PyExc_ValueError, "there are more counts than scores");
        found = -1;
    } else if (size > LONG) {
        Py_BEGIN_ALLOW_THREADS
        add_frequent(scores, norms, factor, counts.buf, length(&counts));
        Py_END_ALLOW_THREADS
    } else {
        add_frequent(scores, norms, factor, counts.buf, length(&counts));
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

/* ------------------------------------------------------------------------------------------------- cosines: scan */

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_SCAN
#include <immintrin.h>
#define FOR_SCAN __attribute__((target("avx512f,avx512bw,avx512vnni")))

typedef struct {
    const uint8_t *rows; /* with 128 added */
    const float *scales;
    const int32_t *positions;
    Py_ssize_t count, dim, size;
    const int8_t *asked;
    const float *asked_scales;
    int forms;
    double *result;
} Scan;

/* The products of two rows with two forms of a question: each byte is read once, and four sums are under way. */
FOR_SCAN static inline void products(const uint8_t *row, const uint8_t *below, const int8_t *one, const int8_t *other,
                                     Py_ssize_t dim, int32_t found[4]) {
    __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    for (Py_ssize_t at = 0; at < dim; at += 64) {
        __mmask64 held = dim - at >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << (dim - at)) - 1;
        __m512i first = _mm512_maskz_loadu_epi8(held, row + at), second = _mm512_maskz_loadu_epi8(held, below + at);
        __m512i codes = _mm512_maskz_loadu_epi8(held, one + at), others = _mm512_maskz_loadu_epi8(held, other + at);
        sums[0] = _mm512_dpbusd_epi32(sums[0], first, codes);
        sums[1] = _mm512_dpbusd_epi32(sums[1], first, others);
        sums[2] = _mm512_dpbusd_epi32(sums[2], second, codes);
        sums[3] = _mm512_dpbusd_epi32(sums[3], second, others);
    }
    for (int each = 0; each < 4; each++) found[each] = _mm512_reduce_add_epi32(sums[each]);
}

/* Returns false for a position that the result does not have. */
FOR_SCAN static bool scan_rows(const Scan *scan) {
    int32_t lifted[FORMS];
    for (int form = 0; form < scan->forms; form++) {
        int32_t sum = 0;
        for (Py_ssize_t at = 0; at < scan->dim; at++) sum += scan->asked[form * scan->dim + at];
        lifted[form] = 128 * sum;
    }
    for (Py_ssize_t row = 0; row < scan->count; row += 2) {
        Py_ssize_t below = row + 1 < scan->count ? row + 1 : row;
        if (row + AHEAD + 2 <= scan->count) /* the processor's own look-ahead ends with each page of memory */
            for (Py_ssize_t at = 0; at < 2 * scan->dim; at += 64)
                _mm_prefetch((const char *)scan->rows + (row + AHEAD) * scan->dim + at, _MM_HINT_T0);
        for (int form = 0; form < scan->forms; form += 2) {
            int other = form + 1 < scan->forms ? form + 1 : form;
            int32_t found[4];
            products(scan->rows + row * scan->dim, scan->rows + below * scan->dim, scan->asked + form * scan->dim,
                     scan->asked + other * scan->dim, scan->dim, found);
            for (int each = 0; each < 4; each++) {
                Py_ssize_t place = each < 2 ? row : below;
                int which = each % 2 ? other : form;
                int32_t position = scan->positions[place];
                if (position < 0) continue;
                if (position >= scan->size) return false;
                double step = (double)scan->asked_scales[which] * (double)scan->scales[place];
                scan->result[which * scan->size + position] = step * (double)(found[each] - lifted[which]);
            }
        }
    }
    return true;
}

static int scan_block(PyObject *block, Scan *scan) {
    static const char *const names[] = {"positions", "raised", "scales"};
    static const char *const kinds[] = {"il", "B", "f"};
    static const Py_ssize_t sizes[] = {4, 1, 4};
    Py_buffer taken[3];
    int count = 0, found = -1;
    for (; count < 3; count++) {
        PyObject *column = PyObject_GetAttrString(block, names[count]);
        if (column == NULL) goto done;
        int got = take(column, &taken[count], kinds[count], sizes[count], false, names[count]);
        Py_DECREF(column); /* its buffer keeps it */
        if (got < 0) goto done;
    }
    if (taken[0].ndim != 1 || taken[1].ndim != 2 || taken[2].ndim != 1 || taken[1].shape[0] != length(&taken[0]) ||
        taken[1].shape[1] != scan->dim || length(&taken[2]) != length(&taken[0])) {
        PyErr_SetString(PyExc_ValueError, "the arrays of a block differ in length, or its vectors from the question's");
        goto done;
    }
    scan->positions = taken[0].buf, scan->rows = taken[1].buf, scan->scales = taken[2].buf;
    scan->count = length(&taken[0]);
    bool fits;
    Py_BEGIN_ALLOW_THREADS
    fits = scan_rows(scan);
    Py_END_ALLOW_THREADS
    if (fits) found = 0;
    else PyErr_SetString(PyExc_IndexError, "a vector belongs to a turn that the view does not have");
done:
    release(taken, count);
    return found;
}

static PyObject *scan(PyObject *self, PyObject *args) {
    PyObject *places[3], *blocks, *found = NULL;
    if (!PyArg_ParseTuple(args, "OOOO:scan", &places[0], &blocks, &places[1], &places[2])) return NULL;
    Py_buffer taken[3];
    static const char *const names[] = {"result", "codes", "scales"};
    static const char *const kinds[] = {"d", "b", "f"};
    static const Py_ssize_t sizes[] = {8, 1, 4};
    for (int each = 0; each < 3; each++)
        if (take(places[each], &taken[each], kinds[each], sizes[each], each == 0, names[each]) < 0) {
            release(taken, each);
            return NULL;
        }
    Py_buffer *result = &taken[0], *codes = &taken[1], *scales = &taken[2];
    PyObject *every = NULL;
    if (result->ndim != 2 || codes->ndim != 2 || scales->ndim != 1 || result->shape[0] != codes->shape[0] ||
        scales->shape[0] != codes->shape[0] || codes->shape[0] > FORMS || codes->shape[1] > 32768) {
        PyErr_SetString(PyExc_ValueError, "result, codes and scales differ in length, or have too many forms or numbers");
        goto done;
    }
    Scan work = {.dim = codes->shape[1], .size = result->shape[1], .asked = codes->buf, .asked_scales = scales->buf,
                 .forms = (int)codes->shape[0], .result = result->buf};
    if ((every = PySequence_Tuple(blocks)) == NULL) goto done;
    for (Py_ssize_t each = 0; each < PyTuple_GET_SIZE(every); each++)
        if (scan_block(PyTuple_GET_ITEM(every, each), &work) < 0) goto done;
    found = Py_NewRef(Py_None);
done:
    Py_XDECREF(every);
    release(taken, 3);
    return found;
}
#endif

/* ------------------------------------------------------------------------------------------- fusion: sum_shares */

typedef struct {
    Py_buffer values;
    bool is_mask, ranks;
    double mean, factor;
} Share;

WIDE static void add_share(double *restrict total, const double *restrict values, Py_ssize_t count, const Share *share) {
    double mean = share->mean, factor = share->factor;
    if (share->ranks && mean != 0.0)
        for (Py_ssize_t at = 0; at < count; at++) {
            double added = (values[at] - mean) * factor;
            total[at] += added == added ? added : 0.0;
        }
    else if (share->ranks)
        for (Py_ssize_t at = 0; at < count; at++) {
            double added = values[at] * factor;
            total[at] += added == added ? added : 0.0;
        }
    else if (mean != 0.0)
        for (Py_ssize_t at = 0; at < count; at++) total[at] += (values[at] - mean) * factor;
    else
        for (Py_ssize_t at = 0; at < count; at++) total[at] += values[at] * factor;
}

static void add_all(double *total, Py_ssize_t size, const Share *shares, Py_ssize_t count) {
    double plain[BLOCK];
    for (Py_ssize_t low = 0; low < size; low += BLOCK) {
        Py_ssize_t some = size - low < BLOCK ? size - low : BLOCK;
        memset(total + low, 0, (size_t)some * sizeof(double));
        for (Py_ssize_t each = 0; each < count; each++) {
            const double *values = (const double *)shares[each].values.buf + low;
            if (shares[each].is_mask) {
                const uint8_t *mask = (const uint8_t *)shares[each].values.buf + low;
                for (Py_ssize_t at = 0; at < some; at++) plain[at] = (double)mask[at];
                values = plain;
            }
            add_share(total + low, values, some, &shares[each]);
        }
    }
}

static int read_share(PyObject *from, Share *share, Py_ssize_t size) {
    PyObject *values;
    int ranks;
    if (read_row(from, "Oddp", &values, &share->mean, &share->factor, &ranks) < 0) return -1;
    share->ranks = ranks != 0;
    if (PyObject_GetBuffer(values, &share->values, PyBUF_FORMAT | PyBUF_ND) < 0) return -1;
    const char *format = share->values.format == NULL ? "B" : share->values.format;
    share->is_mask = strcmp(format, "?") == 0 && share->values.itemsize == 1;
    bool is_plain = strcmp(format, "d") == 0 && share->values.itemsize == 8;
    if (share->values.ndim == 1 && length(&share->values) == size && (share->is_mask || is_plain)) return 0;
    PyErr_Format(PyExc_ValueError, "values have the format %s; expected a row of %zd float64 or bool", format, size);
    PyBuffer_Release(&share->values);
    return -1;
}

static PyObject *sum_shares(PyObject *self, PyObject *args) {
    PyObject *total, *rows, *found = NULL;
    if (!PyArg_ParseTuple(args, "OO!:sum_shares", &total, &PyList_Type, &rows)) return NULL;
    Py_buffer into;
    if (take_row(total, &into, "d", 8, true, "total") < 0) return NULL;
    Py_ssize_t count = PyList_GET_SIZE(rows), read = 0, size = length(&into);
    Share *shares = PyMem_Malloc((count ? count : 1) * sizeof(Share));
    if (shares == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (; read < count && read < PyList_GET_SIZE(rows); read++)
        if (read_share(PyList_GET_ITEM(rows, read), &shares[read], size) < 0) goto done;
    if (size > LONG) {
        Py_BEGIN_ALLOW_THREADS
        add_all(into.buf, size, shares, read);
        Py_END_ALLOW_THREADS
    } else {
        add_all(into.buf, size, shares, read);
    }
    found = Py_NewRef(Py_None);
done:
    for (Py_ssize_t each = 0; each < read; each++) PyBuffer_Release(&shares[each].values);
    PyMem_Free(shares);
    PyBuffer_Release(&into);
    return found;
}

/* ---------------------------------------------------------------------------------------------- the best: pick */

/* The value that would stand at a place if the values were sorted, which they are in part afterwards. */
static double selected(double *values, Py_ssize_t count, Py_ssize_t place) {
    Py_ssize_t low = 0, high = count - 1;
    while (low < high) {
        double middle = values[low + (high - low) / 2];
        Py_ssize_t left = low, right = high;
        while (left <= right) {
            while (values[left] < middle) left++;
            while (values[right] > middle) right--;
            if (left <= right) {
                double held = values[left];
                values[left++] = values[right];
                values[right--] = held;
            }
        }
        if (place <= right) high = right;
        else if (place >= left) low = left;
        else break;
    }
    return values[place];
}

typedef struct {
    double falling;
    int64_t place;
} Scored;

/* Sorts by `falling`, then by place; `spare` has as much room. The places ascend at first, so a stable sort will do. */
static void sort(Scored *rows, Scored *spare, Py_ssize_t count) {
    if (count <= 8) {
        for (Py_ssize_t next = 1; next < count; next++) {
            Scored held = rows[next];
            Py_ssize_t at = next;
            for (; at && rows[at - 1].falling > held.falling; at--) rows[at] = rows[at - 1];
            rows[at] = held;
        }
        return;
    }
    Py_ssize_t half = count / 2, left = 0, right = half, at = 0;
    sort(rows, spare, half);
    sort(rows + half, spare, count - half);
    memcpy(spare, rows, (size_t)half * sizeof(Scored));
    while (left < half && right < count) rows[at++] = rows[right].falling < spare[left].falling ? rows[right++] : spare[left++];
    while (left < half) rows[at++] = spare[left++];
}

static inline double masked(const double *score, const uint8_t *mask, Py_ssize_t at) {
    return (mask == NULL || mask[at]) && !isnan(score[at]) ? score[at] : -INFINITY;
}

/* How many scores are represented by their highest in the search for a value that enough of them reach. */
static Py_ssize_t grouped(Py_ssize_t size, Py_ssize_t limit) {
    Py_ssize_t group = size / (GROUPS * limit);
    return group > GROUP ? GROUP : group > 1 ? group : 1;
}

/* A value that at least `limit` scores reach, and few more, see `_floor`; `maxima` has room for one of each group. */
static double least(const double *score, const uint8_t *mask, Py_ssize_t size, Py_ssize_t limit, double *maxima) {
    Py_ssize_t group = grouped(size, limit), count = size / group;
    for (Py_ssize_t at = 0; at < count; at++) maxima[at] = masked(score, mask, at);
    for (Py_ssize_t row = 1; row < group; row++) {
        const double *values = score + row * count;
        const uint8_t *let = mask == NULL ? NULL : mask + row * count;
        if (mask == NULL)
            for (Py_ssize_t at = 0; at < count; at++) maxima[at] = values[at] > maxima[at] ? values[at] : maxima[at];
        else
            for (Py_ssize_t at = 0; at < count; at++)
                maxima[at] = values[at] > maxima[at] && let[at] ? values[at] : maxima[at];
    }
    return selected(maxima, count, count - limit) - MARGIN;
}

/* Counts the finite scores from `floor` on, and writes them down unless `into` is NULL. */
static Py_ssize_t reaching(const double *score, const uint8_t *mask, Py_ssize_t size, double floor, Scored *into) {
    Py_ssize_t count = 0;
    for (Py_ssize_t low = 0; low < size; low += GROUP) {
        Py_ssize_t high = low + GROUP < size ? low + GROUP : size;
        if (!(highest(score + low, high - low) >= floor)) continue; /* most have none, which is seen sooner so */
        for (Py_ssize_t at = low; at < high; at++)
            if (score[at] >= floor && score[at] <= DBL_MAX && (mask == NULL || mask[at])) {
                if (into != NULL) into[count] = (Scored){-(rint(score[at] * 1e6) / 1e6), at};
                count++;
            }
    }
    return count;
}

static PyObject *pick(PyObject *self, PyObject *args) {
    PyObject *values, *let, *found = NULL, *places = NULL;
    Py_ssize_t limit;
    if (!PyArg_ParseTuple(args, "OnO:pick", &values, &limit, &let)) return NULL;
    if (limit < 1) return PyErr_Format(PyExc_ValueError, "limit is %zd; expected 1 or more", limit);
    Py_buffer taken[2];
    int count = 0;
    if (take_row(values, &taken[0], "d", 8, false, "score") < 0) return NULL;
    count = 1;
    Scored *rows = NULL;
    double *maxima = NULL;
    Py_ssize_t size = length(&taken[0]);
    if (let != Py_None) {
        if (take_row(let, &taken[1], "?", 1, false, "mask") < 0) goto done;
        count = 2;
        if (length(&taken[1]) != size) {
            PyErr_SetString(PyExc_ValueError, "mask and score differ in length");
            goto done;
        }
    }
    const double *score = taken[0].buf;
    const uint8_t *mask = count == 2 ? taken[1].buf : NULL;
    if (limit > PY_SSIZE_T_MAX / GROUPS) limit = PY_SSIZE_T_MAX / GROUPS;
    double floor = -DBL_MAX;
    if (size > limit) {
        if ((maxima = PyMem_Malloc((size_t)(size / grouped(size, limit)) * sizeof(double))) == NULL) goto memory;
        floor = least(score, mask, size, limit, maxima);
        floor = isfinite(floor) ? floor : -DBL_MAX;
    }
    Py_ssize_t reached = reaching(score, mask, size, floor, NULL);
    if ((rows = PyMem_Malloc((size_t)(reached ? 2 * reached : 1) * sizeof(Scored))) == NULL) goto memory;
    reaching(score, mask, size, floor, rows);
    Scored *order = rows + reached;
    memcpy(order, rows, (size_t)reached * sizeof(Scored));
    if ((places = PyByteArray_FromStringAndSize(NULL, reached * (Py_ssize_t)sizeof(int64_t))) == NULL) goto done;
    int64_t *into = (int64_t *)PyByteArray_AS_STRING(places);
    Scored *spare = PyMem_Malloc((size_t)(reached / 2 + 1) * sizeof(Scored));
    if (spare == NULL) goto memory;
    sort(order, spare, reached);
    PyMem_Free(spare);
    bool tied = false;
    for (Py_ssize_t at = 1; at < reached && at <= limit; at++) tied |= order[at].falling == order[at - 1].falling;
    for (Py_ssize_t at = 0; at < reached; at++) into[at] = tied ? rows[at].place : order[at].place;
    if (!tied && reached > limit && PyByteArray_Resize(places, limit * (Py_ssize_t)sizeof(int64_t)) < 0) goto done;
    found = Py_BuildValue("(OO)", places, tied ? Py_True : Py_False);
    goto done;
memory:
    PyErr_NoMemory();
done:
    Py_XDECREF(places);
    PyMem_Free(rows);
    PyMem_Free(maxima);
    release(taken, count);
    return found;
}

/* --------------------------------------------------------------------------------- confidence: richest_stretches */

/* For each of two reaches, of each stretch of turns, by its last turn, the set of terms in it: a bit for each. */
static void sets_around(uint8_t *restrict held, uint8_t *restrict spare, Py_ssize_t size, const Py_ssize_t reaches[2],
                        uint8_t *found[2]) {
    Py_ssize_t width = 1;
    for (int each = 0; each < 2; each++) {
        while (width < 2 * reaches[each] + 1) {
            Py_ssize_t step = 2 * reaches[each] + 1 - width < width ? 2 * reaches[each] + 1 - width : width;
            width += step;
            if (step >= size) continue;
            memcpy(spare, held, (size_t)size);
            for (Py_ssize_t at = step; at < size; at++) held[at] = spare[at] | spare[at - step];
        }
        memcpy(found[each], held, (size_t)size);
    }
}

/* The greatest weight of a set, where there is one group of terms: what each set weighs is looked up once. */
static double richest_of_one(const uint8_t *sets, Py_ssize_t size, const double *worth) {
    bool seen[256] = {false};
    for (Py_ssize_t at = 0; at < size; at++) seen[sets[at]] = true;
    double most = -INFINITY;
    for (int set = 0; set < 256; set++)
        if (seen[set] && worth[set] > most) most = worth[set];
    return most;
}

static double richest(uint8_t *const *sets, Py_ssize_t size, const double *worths, Py_ssize_t groups) {
    if (groups == 1) return richest_of_one(sets[0], size, worths);
    double most = -INFINITY;
    for (Py_ssize_t at = 0; at < size; at++) {
        double sum = worths[sets[0][at]];
        for (Py_ssize_t group = 1; group < groups; group++) sum += worths[256 * group + sets[group][at]];
        most = sum > most ? sum : most;
    }
    return most;
}

static int mark(PyObject *turns, uint8_t *held, Py_ssize_t size, int bit) {
    Py_buffer places;
    if (take_row(turns, &places, WHOLE, 8, false, "turns") < 0) return -1;
    const int64_t *each = places.buf;
    int found = 0;
    for (Py_ssize_t at = 0; at < length(&places); at++)
        if (each[at] < 0 || each[at] >= size) {
            PyErr_Format(PyExc_IndexError, "a term is in turn %lld of %zd", (long long)each[at], size);
            found = -1;
            break;
        } else {
            held[each[at]] |= (uint8_t)(1 << bit);
        }
    PyBuffer_Release(&places);
    return found;
}

static PyObject *richest_stretches(PyObject *self, PyObject *args) {
    Py_ssize_t size, reaches[2];
    PyObject *places, *weights, *found = NULL;
    if (!PyArg_ParseTuple(args, "nO!O!(nn):richest_stretches", &size, &PyList_Type, &places, &PyList_Type, &weights, &reaches[0],
                          &reaches[1]))
        return NULL;
    Py_ssize_t terms = PyList_GET_SIZE(places), groups = (terms + 7) / 8;
    if (size < 1 || terms < 1 || terms != PyList_GET_SIZE(weights) || reaches[0] < 0 || reaches[1] < reaches[0] ||
        reaches[1] > size + 1024 || groups > 1024)
        return PyErr_Format(PyExc_ValueError, "%zd turns, %zd terms, %zd weights: expected as many weights as terms, from 1 to 8,192",
                            size, terms, PyList_GET_SIZE(weights));
    uint8_t *room = PyMem_Malloc((size_t)size * (2 + 2 * (size_t)groups));
    uint8_t **sets = PyMem_Malloc(2 * (size_t)groups * sizeof(uint8_t *));
    double *worths = PyMem_Malloc(256 * (size_t)groups * sizeof(double));
    if (room == NULL || sets == NULL || worths == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t group = 0; group < groups; group++) {
        double *worth = worths + 256 * group;
        int bits = (int)(terms - 8 * group < 8 ? terms - 8 * group : 8);
        uint8_t *held = room, *around[2];
        memset(held, 0, (size_t)size);
        worth[0] = 0.0;
        for (int bit = 0; bit < bits; bit++) {
            double weight = PyFloat_AsDouble(PyList_GET_ITEM(weights, 8 * group + bit));
            if (weight == -1.0 && PyErr_Occurred()) goto done;
            for (int set = 0; set < 1 << bit; set++) worth[(1 << bit) + set] = worth[set] + weight;
            if (mark(PyList_GET_ITEM(places, 8 * group + bit), held, size, bit) < 0) goto done;
        }
        for (int reach = 0; reach < 2; reach++)
            sets[reach * groups + group] = around[reach] = room + (size_t)size * (size_t)(2 + 2 * group + reach);
        sets_around(held, room + size, size, reaches, around);
    }
    found = Py_BuildValue("(dd)", richest(sets, size, worths, groups), richest(sets + groups, size, worths, groups));
done:
    PyMem_Free(room);
    PyMem_Free(sets);
    PyMem_Free(worths);
    return found;
}

/* ---------------------------------------------------------------------------------------------------------- module */

static PyMethodDef functions[] = {
    {"gather_postings", gather_postings, METH_VARARGS, NULL},
    {"add_term_scores", add_term_scores, METH_VARARGS, NULL},
    {"count_in_windows", count_in_windows, METH_VARARGS, NULL},
    {"sum_shares", sum_shares, METH_VARARGS, NULL},
    {"pick", pick, METH_VARARGS, NULL},
    {"richest_stretches", richest_stretches, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#ifdef HAS_SCAN
static PyMethodDef with_vnni[] = {{"scan", scan, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
#endif

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel", "Steps of ranking in C; see clew.index.kernel.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernel(void) {
    PyObject *module = PyModule_Create(&definition);
#ifdef HAS_SCAN
    /* Elsewhere simsimd, which the reference calls, has the better instructions. */
    if (module != NULL && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        PyModule_AddFunctions(module, with_vnni) < 0)
        Py_CLEAR(module);
#endif
    return module;
}
