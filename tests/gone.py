"""What a ledger says that lets every payload of a tenant be missing whose event names it."""

from __future__ import annotations

from service.log.erasures import Erasures
from service.log.ledger import EntryKind, LedgerEntry
from service.model.privacy import Destruction

MUCH_LATER = "2100-01-01T00:00:00.000000Z"


def gone_for_good(tenant_id: str, request_uid: str = "purge") -> Erasures:
    """Retention destroyed what its events say that it destroyed."""
    entry = LedgerEntry(1, EntryKind.BEGUN, tenant_id, request_uid, Destruction.RETENTION, (), MUCH_LATER)
    return Erasures.of([entry])
