"""Public agents as parents: the same work by our children, by an agent's own, and by itself.

work    what is to be done, and what whoever does it plays
leads   how each agent is started as a parent
play    one parent from its first word to its end
seen    what a model server saw of a parent: to the byte, in no agent's words
"""
