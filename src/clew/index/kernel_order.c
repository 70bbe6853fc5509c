/* The order of all turns: the sum of the signals, the best turns, and the stretches that confidence weighs. See kernel.h. */

#include "kernel.h"

/* Values that are added up at a time: few enough to stay in the processor's nearest cache. */
#define BLOCK 1024
/* As GROUP, GROUPS and the margin of `clew.rank.fusion`. */
#define GROUP 32
#define GROUPS 3
#define MARGIN 2e-6

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
    {"sum_shares", sum_shares, METH_VARARGS, NULL},
    {"pick", pick, METH_VARARGS, NULL},
    {"richest_stretches", richest_stretches, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel_order", "The order of all turns in C; see clew.index.kernel.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernel_order(void) { return PyModule_Create(&definition); }
