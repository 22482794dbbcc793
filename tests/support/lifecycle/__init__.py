"""One life of a public agent through a real daemon, and what of it holds, as data.

`stage` runs daemon and model, `course` plays the life, `properties` says what is asked of an agent
and why some cannot, `results` keeps what was found.
"""
