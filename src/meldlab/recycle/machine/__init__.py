"""The machine of RECYCLE: storage, compiler, bytecode and the kernels that run it."""
