/* Vectors of all turns: the cosines of both forms of a question. See kernel.h. */

#include "kernel.h"

#define FORMS 8
/* Vectors that are fetched from memory before they are read. */
#define AHEAD 16

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

/* ---------------------------------------------------------------------------------------------------------- module */

static PyMethodDef functions[] = {{NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel_vectors", "Vectors of all turns in C; see clew.index.kernel.", -1, functions, NULL, NULL, NULL, NULL,
};

#ifdef HAS_SCAN
static PyMethodDef with_vnni[] = {{"scan", scan, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
#endif

PyMODINIT_FUNC PyInit__kernel_vectors(void) {
    PyObject *module = PyModule_Create(&definition);
#ifdef HAS_SCAN
    /* Elsewhere simsimd, which the reference calls, has the better instructions. */
    if (module != NULL && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        PyModule_AddFunctions(module, with_vnni) < 0)
        Py_CLEAR(module);
#endif
    return module;
}
