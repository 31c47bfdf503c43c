"""A real Argilla server without Docker, Elasticsearch and accounts of its own making.

It runs in an environment of its own (requirements/argilla.txt), which evalhub.desk starts with
`python -m argilla_embedded`; of EvalHub it knows the tickets only (apps.labeling.members.tickets).
"""
