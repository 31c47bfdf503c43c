"""Values inside JSON columns, as tables that SQLite makes of them."""

import json
from typing import Any

from sqlalchemy import func


def path_of(*keys: str) -> str:
    return "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in keys)


def values_at(column: Any, *keys: str) -> Any:
    """A row a value: one of a plain value, several of a list, none where there is nothing."""
    return func.json_each(column, path_of(*keys)).table_valued("value", "type")


def leaves_at(column: Any, *keys: str) -> Any:
    """A row each value at any depth."""
    return func.json_tree(column, path_of(*keys)).table_valued("value", "type")
