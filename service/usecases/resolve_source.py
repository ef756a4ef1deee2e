"""Read the exact bytes behind a memory; what cannot be read is counted, and is never guessed.

A result's bytes have one address, their own hash. Where nothing that has this hash is found, the attempt is
counted on the memory; from the configuration's `repair_attempts_max` on it is shown as stale. Bytes that are
back (a restored bucket) start the count anew. No other artifact, and no id that nobody recorded, ever
stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.errors import NotFound, SourceUnreadable, Unavailable
from service.graph import assemblies
from service.graph.driver import Graph
from service.model.policy_settings import PolicySettings
from service.storage.blobs import Blobs


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads exact results, from the graph or from the blob store."""

    graph: Graph
    blobs: Blobs
    settings: PolicySettings

    async def read(
        self, tenant_id: str, artifact_uid: str, blob: str | None, subject_uids: Sequence[str]
    ) -> str:
        """The whole result, or the error of a failed call; `subject_uids` are the artifact's. Raises
        SourceUnreadable."""
        if blob is not None:
            return await self._read_blob(tenant_id, artifact_uid, blob, subject_uids)
        rows = await self.graph.read(
            lambda tx: assemblies.read_artifacts.many(tx, tenant_id=tenant_id, uids=[artifact_uid])
        )
        return str(rows[0]["result"] or rows[0]["error"] or "") if rows else ""

    async def _read_blob(
        self, tenant_id: str, artifact_uid: str, blob: str, subject_uids: Sequence[str]
    ) -> str:
        try:
            return (await self.blobs.get(tenant_id, subject_uids, blob)).decode()
        except (NotFound, Unavailable):
            attempts = await self.note(tenant_id, artifact_uid, resolved=False)
            raise SourceUnreadable(attempts, attempts >= self.settings.repair_attempts_max) from None

    async def note(self, tenant_id: str, artifact_uid: str, *, resolved: bool) -> int:
        """Count a vain attempt, or begin anew; answers how many there are in a row."""
        rows, _ = await self.graph.write(
            lambda tx: assemblies.note_resolution.many(
                tx, tenant_id=tenant_id, artifact_uid=artifact_uid, resolved=resolved
            )
        )
        return max((int(row["repair_attempts"]) for row in rows), default=0)
