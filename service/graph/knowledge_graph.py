"""Gateway of the knowledge graph: the queue of answers, what is learned, and what the platform names."""

from __future__ import annotations

from service.graph.query import Row, query
from service.model.candidates import InsightCandidate
from service.model.vocabulary import InsightKind, PrivacyClass

list_queued = query("message/list_queued")
list_waiting = query("message/list_waiting")
take_queued = query("message/take_queued")
read_learned = query("message/read_learned")
rate_answer = query("message/rate_answer")
set_initial_weights = query("knowledge_graph/set_initial_weights")
learn_query = query("query/learn_query")
put_product = query("product/put_product")
put_document = query("document/put_document")
put_booking = query("booking/put_booking")
put_competitor_price = query("competitor_price/put_competitor_price")
name_entity = query("entity_name/name_entity")
find_named = query("entity_name/find_named")
find_entities = query("knowledge_graph/find_entities")
list_asked = query("query/list_asked")
list_standing = query("insight/list_standing")
lock_tenant = query("knowledge_graph/lock_tenant")
draw_insights = query("insight/draw_insights")
set_weights = query("knowledge_graph/set_weights")
LIST_WEIGHTS = (
    query("query/list_weights"),
    query("response/list_weights"),
    query("user/list_weights"),
    query("booking/list_weights"),
)
"""By where edges that age start."""
PURGES = {
    "queries": (query("query/purge_queries"), query("query/count_old")),
    "responses": (query("response/purge_responses"), query("response/count_old")),
    "insights": (query("insight/purge_insights"), query("insight/count_old")),
}
"""How each transient kind is purged, and how what would be is counted."""
connect_products = query("product/connect_products")


def insight(row: Row) -> InsightCandidate:
    """A row of `insight/list_standing`. A class that is not known goes nowhere."""
    known = {member.value: member for member in PrivacyClass}
    return InsightCandidate(
        uid=row["uid"],
        kind=InsightKind(row["insight_kind"]),
        text=row["text"],
        rank=row["rank"],
        asker_count=row["asker_count"],
        node_count=row["node_count"],
        privacy_class=known.get(row["privacy_class"], PrivacyClass.SECRET),
    )
