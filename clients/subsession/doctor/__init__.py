"""Looks at what runs here and what is missing, and tries agents against a model on this machine.

    findings   one thing that was looked at: how it stands, and what to do
    looks      the daemon, its containers, its roles and agents, as it tells of them
    programs   what an agent's program says of its version
    recipes    how each public agent is pointed at another model; `recipes.toml` has the words
    tables     tables written as TOML
    trial      a daemon of its own, thrown away afterwards, with that model behind every agent

A trial touches neither the user's daemon nor what an agent keeps in her home: it has a home, a
state directory and a workspace of its own, and asks nobody outside this machine.
"""
