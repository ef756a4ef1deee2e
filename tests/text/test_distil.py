"""What a person would note down from a tool's answer."""

from __future__ import annotations

import json
from typing import Any

from service.model.vocabulary import CallStatus
from service.text.distil import RECORDS_MAX, Distillate, distil


def noted(
    tool_name: str, arguments: dict[str, Any], result: Any, status: CallStatus = CallStatus.EXECUTED
) -> Distillate:
    """The notes of a call; a result that is no string goes in as JSON."""
    text = result if isinstance(result, str) or result is None else json.dumps(result)
    return distil(tool_name, json.dumps(arguments), text, status)


def test_a_short_answer_stands_in_the_headline() -> None:
    notes = noted("place_order", {"symbol": "AAPL", "amount": 100}, {"order_id": 12446, "status": "Pending"})
    assert notes.headline == "place_order(symbol=AAPL, amount=100) -> order_id 12446, status Pending"
    assert notes.records == ()


def test_what_only_echoes_an_argument_is_not_said_twice() -> None:
    notes = noted("place_order", {"symbol": "AAPL"}, {"symbol": "AAPL", "price": 227.16, "status": "Open"})
    assert notes.headline == "place_order(symbol=AAPL) -> price 227.16, status Open"


def test_a_record_becomes_lines_that_name_every_field() -> None:
    notes = noted(
        "get_reservation_details",
        {"reservation_id": "HATHAT"},
        {
            "reservation_id": "HATHAT",
            "user_id": "mia_li_3668",
            "cabin": "economy",
            "flights": [
                {"flight_number": "HAT136", "date": "2024-05-20", "price": 152},
                {"flight_number": "HAT039", "date": "2024-05-21", "price": 103},
            ],
            "passengers": [{"first_name": "Mia", "last_name": "Li", "dob": "1990-04-05"}],
            "reservations": ["NO6JO3", "AIXC49"],
        },
    )
    assert notes.headline == "get_reservation_details(reservation_id=HATHAT)"
    assert notes.records == (
        "user_id mia_li_3668, cabin economy",
        "flights (flight_number date price): HAT136 2024-05-20 152; HAT039 2024-05-21 103",
        "passengers: first_name Mia, last_name Li, dob 1990-04-05",
        "reservations: NO6JO3, AIXC49",
    )


def test_objects_under_their_own_ids_do_not_repeat_them() -> None:
    methods = {
        "credit_card_44": {
            "source": "credit_card",
            "brand": "visa",
            "last_four": "7447",
            "id": "credit_card_44",
        },
        "certificate_48": {"source": "certificate", "amount": 100, "id": "certificate_48"},
    }
    notes = noted("get_user", {}, {"payment_methods": methods, "biography": "x" * 200})
    assert (
        "payment_methods: credit_card_44 brand visa, last_four 7447; certificate_48 amount 100"
        in notes.records
    )


def test_rows_share_a_heading_and_what_they_have_in_common_is_said_once() -> None:
    rows = [
        {
            "flight_number": f"HAT{n}",
            "origin": "JFK",
            "status": "available",
            "prices": {"basic": n, "full": 2 * n},
        }
        for n in range(101, 131)
    ]
    notes = noted("search_direct_flight", {"origin": "JFK"}, rows)
    assert notes.headline == (
        "search_direct_flight(origin=JFK) -> 30 rows of flight_number prices basic/full; all status available"
    )
    assert notes.records[0] == "flight_number HAT101 101/202"
    assert len(notes.records) == 30


def test_a_journey_of_two_legs_is_one_row() -> None:
    legs = [[{"flight": "A1", "to": "ATL"}, {"flight": f"B{n}", "to": "SEA"}] for n in range(40)]
    notes = noted("search_onestop", {}, legs)
    assert notes.records[0] == "flight A1 ATL + B0 SEA"


def test_a_long_table_says_how_many_rows_are_missing() -> None:
    notes = noted("list_items", {}, [{"sku": f"S{n}", "price": n} for n in range(5000)])
    assert notes.headline == "list_items() -> 5,000 rows of sku price"
    assert notes.records[-1] == "4,960 more rows"
    assert len(notes.records) <= RECORDS_MAX


def test_a_long_list_of_numbers_is_told_by_its_ends_and_range() -> None:
    notes = noted("get_prices", {}, {"price": 227.16, "average": [234.5, 212.46, *range(300, 340), 201.07]})
    assert "average: 43 numbers 234.5, 212.46, 300 … 201.07, from 201.07 to 339" in notes.records


def test_a_number_stays_as_it_was_written() -> None:
    notes = distil(
        "measure", "{}", '{"level": 10.0, "ratio": 1e400, "count": 12345678901234567890}', CallStatus.EXECUTED
    )
    assert notes.headline == "measure() -> level 10.0, ratio 1e400, count 12345678901234567890"


def test_a_long_text_in_a_field_keeps_its_beginning_and_says_what_is_cut() -> None:
    content = "\n".join(f"line {n}: " + "word " * 20 for n in range(50))
    notes = noted("cat", {"file_name": "report.txt"}, {"file_content": content})
    assert notes.headline == "cat(file_name=report.txt)"
    assert notes.records[0].startswith("file_content: line 0: word word")
    assert any("lines cut" in record for record in notes.records)
    assert notes.records[-1].startswith("file_content: line 49")


def test_a_failure_keeps_its_error_and_its_arguments() -> None:
    notes = distil(
        "book",
        '{"user_id": "mia_li_3668", "seats": ["12A"]}',
        None,
        CallStatus.FAILED,
        "payment does not add up",
    )
    assert notes.headline == "book(user_id=mia_li_3668, seats=12A) failed: payment does not add up"


def test_a_pending_call_says_so() -> None:
    notes = noted("export", {"format": "csv"}, None, CallStatus.PENDING)
    assert notes.headline == "export(format=csv) pending, no result yet"


def test_an_error_in_the_middle_of_a_log_is_kept() -> None:
    log = [f"step {n} is done without anything to report about it" for n in range(400)]
    log[200] = "Error: disk /dev/sda1 is full"
    notes = noted("run_job", {"job": "nightly"}, "\n".join(log))
    assert notes.headline.startswith("run_job(job=nightly) -> text of 400 lines")
    assert any("disk /dev/sda1 is full" in record for record in notes.records)
    assert any("lines cut" in record for record in notes.records)


def test_the_tools_name_stands_close_to_every_line_of_plain_text() -> None:
    """A line that enters a context alone must still say where it comes from."""
    reach_chars = 600
    notes = noted("run_job", {}, "\n".join(f"step {n} is done, nothing to report" for n in range(30)))
    written = notes.headline + "".join(f"\n {record}" for record in notes.records)
    for record in notes.records:
        at = written.find(record)
        assert "run_job" in written[max(0, at - reach_chars) : at + len("run_job: ")]


def test_rows_that_a_database_prints_are_read_as_data() -> None:
    notes = noted(
        "execute_sql", {"query": "SHOW COLUMNS"}, "[('People_ID', b'int', None), ('Name', b'text', '')]"
    )
    assert notes.headline == 'execute_sql(query=SHOW COLUMNS) -> (People_ID, int, none), (Name, text, "")'


def test_json_lines_are_a_table() -> None:
    lines = "\n".join(
        json.dumps({"level": "info", "id": n, "event": f"started number {n}"}) for n in range(20)
    )
    assert noted("read_log", {}, lines).headline == "read_log() -> 20 rows of id, event; all level info"


def test_arguments_that_the_answer_repeats_show_only_their_shape() -> None:
    flights = [
        {"flight_number": "HAT136", "date": "2024-05-20"},
        {"flight_number": "HAT039", "date": "2024-05-21"},
    ]
    answer = {
        "reservation_id": "HATHAT",
        "flights": flights,
        "created_at": "2024-05-15T15:00:00",
        "note": "x" * 170,
    }
    notes = noted("book_reservation", {"user_id": "mia", "flights": flights}, answer)
    assert notes.headline == "book_reservation(user_id=mia, flights=[2 items])"
    assert "flights (flight_number date): HAT136 2024-05-20; HAT039 2024-05-21" in notes.records


# -- what a result is about


def test_reading_changing_and_creating_a_thing_are_about_the_same_thing() -> None:
    read = noted("get_order_details", {"order_id": 12446}, {"id": 12446, "status": "Open"})
    placed = noted("place_order", {"symbol": "AAPL"}, {"order_id": 12446, "status": "Pending"})
    assert read.record_key == placed.record_key == "order=12446"
    assert read.record_fields == placed.record_fields == ("status",)


def test_a_bare_id_takes_its_noun_from_the_tool() -> None:
    assert noted("create_ticket", {"title": "x"}, {"id": 2, "title": "x"}).record_key == "ticket=2"
    assert noted("getInvoice", {}, {"id": 2}).record_key == "invoice=2"


def test_the_same_question_has_the_same_key_whatever_the_order_of_its_arguments() -> None:
    one = distil("search", '{"to": "SEA", "from": "JFK"}', "[]", CallStatus.EXECUTED)
    two = distil("search", '{"from": "JFK", "to": "SEA"}', "[]", CallStatus.EXECUTED)
    assert one.record_key == two.record_key == 'search{"from":"JFK","to":"SEA"}'


def test_another_page_of_a_list_is_another_answer() -> None:
    first = noted("list_orders", {"user_id": "mia", "page": 1}, {"user_id": "mia", "orders": [1]})
    second = noted("list_orders", {"user_id": "mia", "page": 2}, {"user_id": "mia", "orders": [2]})
    assert first.record_key != second.record_key
