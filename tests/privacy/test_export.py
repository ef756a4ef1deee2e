"""What is held of a person, as files: whole, readable, without other people, and gone when the person is."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile

from lives import Canaries, live
from officers import Office

OTHERS = ("u-ben", "Ben asks for a train.")


async def exported(office: Office, request_id: str) -> dict[str, bytes]:
    """The files of an archive."""
    answer = await office.first.send("GET", f"/v1/privacy-requests/{request_id}/export")
    assert answer.status_code == 200, answer.text
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    return {name: archive.read(name) for name in archive.namelist()}


async def test_an_export_has_all_that_is_held_and_counts_what_an_erasure_would(office: Office) -> None:
    new = Canaries()
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    await office.asked("access", mia, kind="access")
    early = await office.first.send("GET", "/v1/privacy-requests/access/export")
    assert early.status_code == 404, "nobody has approved it"
    done = await office.approved("access")
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    files = await exported(office, "access")
    manifest = json.loads(files["manifest.json"])
    for name in ("data.json", "read-me.html"):
        assert manifest["files"][name] == hashlib.sha256(files[name]).hexdigest()
    data = files["data.json"].decode()
    for entry in json.loads(data):
        data += "".join(base64.b64decode(one).decode() for one in entry.get("large", {}).values())
    unsaid = ("-conversation-", "-key-", "-compaction-")
    assert [one for one in new.all if one not in data and not any(what in one for what in unsaid)] == []
    assert next(one for one in new.all if "-text-" in one) in files["read-me.html"].decode()
    assert [one for one in OTHERS if one in data] == []
    await office.asked("erase", mia)
    plan = (await office.previewed("erase"))["plan"]
    assert manifest["held"]["nodes"] == plan["counts"]["nodes"]


async def test_a_portable_export_has_what_the_person_gave_alone(office: Office) -> None:
    new = Canaries()
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    await office.asked("take", mia, kind="portability")
    await office.approved("take")
    data = (await exported(office, "take"))["data.json"].decode()
    assert next(one for one in new.all if "-text-" in one) in data
    assert next(one for one in new.all if "-answer-" in one) not in data


async def test_an_export_ends_with_the_person_and_is_no_others(office: Office, stranger: Office) -> None:
    new = Canaries()
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    await office.asked("access", mia, kind="access")
    await office.approved("access")
    foreign = await stranger.first.send("GET", "/v1/privacy-requests/access/export")
    assert foreign.status_code == 404
    assert (await office.erased(mia))["state"] == "fulfilled"
    gone = await office.first.send("GET", "/v1/privacy-requests/access/export")
    assert (gone.status_code, gone.json()["code"]) == (410, "erased")
