"""Complementation in a database: samples come in, and what is stored was never collected."""

from privet.errors import StoreError

try:
    import sqlalchemy as _  # noqa: F401
except ImportError:
    _message = "A store needs SQLAlchemy, which is not installed."
    raise StoreError(_message, hint="pip install '.[store]' in the privet folder.") from None

from privet.store.facts import Status
from privet.store.store import Receipt, Store, new_token

__all__ = ["Receipt", "Status", "Store", "new_token"]
