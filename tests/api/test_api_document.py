"""The OpenAPI document says of every route what it does, who may call it and what may go wrong."""

from __future__ import annotations

import json

from service.api.app import create_app


async def test_the_document_of_the_api_names_every_problem() -> None:
    document = create_app(None).openapi()  # type: ignore[arg-type]
    assert document["openapi"].startswith("3.1")
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    assert len(operations) >= 16
    for path, method, operation in operations:
        assert operation["summary"] and operation["tags"] and operation["description"], (path, method)
        problems_of = {status: one for status, one in operation["responses"].items() if status >= "400"}
        expected = (
            {"500", "503"} if path.startswith("/health") else {"401", "403", "404", "422", "500", "503"}
        )
        assert problems_of.keys() >= expected
        for one in problems_of.values():
            assert [*one["content"]] == ["application/problem+json"] and one["description"]
        if not path.startswith("/health"):
            assert operation["security"] == [{"HTTPBearer": []}]
    assert "HTTPValidationError" not in json.dumps(document)
    references = json.dumps(document).split("#/components/schemas/")[1:]
    referred = {one.partition('"')[0] for one in references}
    assert referred <= document["components"]["schemas"].keys()
