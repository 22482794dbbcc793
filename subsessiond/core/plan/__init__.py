"""What a plan of children may look like, and what comes next in one. Pure; a runner drives it.

fields   `{{step.field}}`: which there are, and what stands for them
graph    which step waits for which; circles
check    everything that is wrong with a plan, before anything of it begins
course   what has become of the steps, which may begin, and what the parent is told
"""
