/* The steps of ranking that go over all turns, for the compiled build. See kernel.py for how one is chosen.
 *
 * Each function does what the Python function of its name does, which is decorated with `in_c` and documents it, and
 * gives the same results to the last bit: operations on floats are the same, in the same order, and never contracted.
 * Sizes, types and indexes are checked at the entry or where they are read, so that no input can touch foreign memory.
 */

#ifndef CLEW_KERNEL_H
#define CLEW_KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Values from which on other threads may go on. */
#define LONG 65536

/* Loops that are also compiled for wider registers, of which the processor's are taken when the module is loaded. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* Takes the contiguous buffer of an array; `kinds` are the letters of struct that are allowed, all of one size. */
static inline int take(PyObject *from, Py_buffer *into, const char *kinds, Py_ssize_t itemsize, bool writable, const char *name) {
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

static inline int take_row(PyObject *from, Py_buffer *into, const char *kinds, Py_ssize_t itemsize, bool writable, const char *name) {
    if (take(from, into, kinds, itemsize, writable, name) < 0) return -1;
    if (into->ndim == 1) return 0;
    PyErr_Format(PyExc_ValueError, "%s has %d dimensions; expected 1", name, into->ndim);
    PyBuffer_Release(into);
    return -1;
}

/* Reads a row of an argument as PyArg_ParseTuple does. */
static inline int read_row(PyObject *row, const char *format, ...) {
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

static inline Py_ssize_t length(const Py_buffer *row) { return row->shape[0]; }

#define WHOLE "lqn"

static inline void release(Py_buffer *taken, int count) {
    for (int each = 0; each < count; each++) PyBuffer_Release(&taken[each]);
}

#endif
