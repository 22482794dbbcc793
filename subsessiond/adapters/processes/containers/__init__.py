"""Three ways to hold all processes of one child together; one class each, one shape.

cgroup    the kernel keeps the list, ends all of it with one write, and says when it is empty
pidns     the kernel ends all with the first process, which is ours (`init.py`)
descent   all hangs on a first process of ours, to which the kernel gives whoever loses his parent
"""
