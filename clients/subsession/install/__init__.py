"""Our lines in the configuration of the seven clients, and nothing else of these files.

`jsonc` and `jsonedit` know JSON with comments as it stands in a file, `tomledit` knows TOML. Both
change the text, and never write a file anew from what it means: comments, order and white space
are the person's. `clients` says which file of which client has which lines, `change` what is to be
done to one file, `files` how it is replaced, and `record` what in it was not there before us.
"""
