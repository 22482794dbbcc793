"""The decisions of subsessiond, and nothing else.

The laws of this package:

1. What decides lives here, what acts lives elsewhere. There is no clock, no source of ids, no
   file, socket, log, event loop or chance in it.
2. Three functions carry it. `decide` chooses, `evolve` remembers, `react` asks. Events are built,
   trees changed and effects named nowhere else.
3. Data in, data out. The time, new ids, the caller and the policy come inside the command; whatever
   had to be read from disk was read before and stamped on it.
4. Order is data. Each pipeline of checks is a tuple, and tests hold it, by name and in pairs.
5. A refusal is a value, a fault is an exception, and a broken invariant is a bug.
6. What is iterated is a tuple or sorted: the same input gives the same output on every machine.
"""
