"""Public agents as parents: the same work by our children, by an agent's own, and by itself.

work     what is to be done, and what whoever does it plays
leads    how each agent is started as a parent
play     one parent from its first word to its end
seen     what a model server saw of a parent: to the byte, in no agent's words
heard    a stage with an installed parent on it, and what can be asked of both
course   a parent that steers one child, is told of two, and has one blocked
faults   three parents one after another, each of which loses something
ways     three ways to have the work done, and their costs
table    these as they are recorded and printed; compare is the program
"""
