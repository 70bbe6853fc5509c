"""The read path, from a call of `Memory` to what it returns. Start at `recall.recall`.

Everything a read needs is in one frozen object, `read_path.ReadPath`; the other modules are functions over it or over
one snapshot of the store.
"""
