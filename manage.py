#!/usr/bin/env python
"""All commands: `evalhub` and `python manage.py` are the same."""

from evalhub.__main__ import main

if __name__ == "__main__":
    main()
