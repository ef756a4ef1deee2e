"""Exact bytes come back where the request asks for them, and nowhere else."""

from __future__ import annotations

import pytest
from remembered import memory

from service.policies.rehydration import choose

RESERVATION = memory(3, "get_reservation(reservation_id=BOH180) -> status open")
EXPORT = memory(7, "export_invoices(status=open, format=csv)")


@pytest.mark.parametrize(
    "request_text",
    [
        "Import exactly the raw CSV of open invoices.",
        "Show me the exact output of export_invoices again.",
        "Quote the invoices word for word, please.",
        "Gib mir die Rechnungen (export_invoices) Zeile für Zeile.",
        "Bitte das unveränderte Ergebnis von export_invoices.",
    ],
)
def test_a_request_for_exactness_brings_the_result_that_it_names(request_text: str) -> None:
    assert choose([RESERVATION, EXPORT], request_text, ()).chosen == (EXPORT,)


@pytest.mark.parametrize(
    "request_text",
    [
        "Could I get a refund to the original payment method for each reservation?",
        "What exactly does the reservation cost?",
        "I want a full refund of this reservation.",
        "Raw fish is served on open invoices, is it?",
        "Leave the reservation unchanged.",
        "Was genau kostet die Reservierung?",
    ],
)
def test_words_of_exactness_in_other_senses_bring_nothing(request_text: str) -> None:
    assert choose([RESERVATION, EXPORT], request_text, ()).chosen == ()


def test_a_pointer_brings_what_it_points_at() -> None:
    assert choose([RESERVATION, EXPORT], "What else does @3 say?", ()).chosen == (RESERVATION,)


def test_the_callers_own_list_comes_before_the_words() -> None:
    assert choose([RESERVATION, EXPORT], "The exact output of export_invoices.", ("memory-3",)).chosen == (
        RESERVATION,
    )
