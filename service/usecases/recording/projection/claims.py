"""What is asserted, and what that rests on: what was recorded before it, on its lineage."""

from __future__ import annotations

from service.errors import IdTaken, InvalidRequest, UnknownReference
from service.model.chain import canonical
from service.model.events import ClaimEvent, EvidenceLink
from service.usecases.recording.projection.state import NOTHING, StateProjection


class ClaimProjection(StateProjection):
    """Projects `claim`."""

    def _claim(self, event: ClaimEvent) -> tuple[int, int]:
        if event.claim_id in self._known.claims:
            raise IdTaken(f"{self._at}.claim_id")
        links = []
        for number, link in enumerate(event.rests_on):
            uid = self._target_uid(link, f"rests_on[{number}].")
            if uid is not None:
                links.append({"target_uid": uid, "role": link.role.value, "part": number})
        row = {
            **self._place(),
            "claim_id": event.claim_id,
            "text": event.text,
            "value": None if event.value is None else canonical(event.value),
            "run_uid": self._run_uid(event.run_id),
            "message_uid": self._message_uid(event.message_id, "message_id"),
            **self._governed(event),
        }
        replaced_uid = self._claim_uid(event.replaces_claim_id, "replaces_claim_id")
        self._known.claims[event.claim_id] = row["uid"]
        self.rows.claims.append(row)
        self.rows.evidence.append({"claim_uid": row["uid"], "replaced_uid": replaced_uid, "links": links})
        return NOTHING

    def _target_uid(self, link: EvidenceLink, at: str) -> str | None:
        """What a link leads to; None for a document, which the platform keeps."""
        if link.call_id is not None:
            return self._result_uid(link.call_id, f"{at}call_id")
        return (
            self._message_uid(link.message_id, f"{at}message_id")
            or self._run_uid(link.run_id, f"{at}run_id")
            or self._claim_uid(link.claim_id, f"{at}claim_id")
        )

    def _claim_uid(self, claim_id: str | None, name: str) -> str | None:
        if claim_id is None:
            return None
        if claim_id not in self._known.claims:
            raise UnknownReference(f"{self._at}.{name}")
        return self._known.claims[claim_id]

    def _message_uid(self, message_id: str | None, name: str) -> str | None:
        if message_id is None:
            return None
        if message_id not in self._known.messages:
            raise UnknownReference(f"{self._at}.{name}")
        return self._known.messages[message_id]

    def _result_uid(self, call_id: str, name: str) -> str:
        call = self._known.calls.get(call_id)
        if call is None or not self._in_lineage(call):
            raise UnknownReference(f"{self._at}.{name}")
        uid = self._answered_by(call)
        if uid is None:
            location = f"{self._at}.{name}"
            raise InvalidRequest([{"location": location, "problem": "has no result yet to rest on"}])
        return uid
