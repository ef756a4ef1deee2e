"""Put the parts together: the one place where use cases meet what they work on."""

from __future__ import annotations

from service.api.services import Services
from service.clock import Clock, SystemClock
from service.graph.driver import Graph, UnhurriedGraph
from service.language.chat import ChatModel
from service.language.embedding import LocalEmbedder
from service.log.erasures import NOTHING_ERASED
from service.storage.blobs import Blobs
from service.text.tokens import tokenizer
from service.usecases.append_events import AppendEvents
from service.usecases.assemble_context import AssembleContext
from service.usecases.assembly.choosing import Chooser
from service.usecases.check_ledger import CheckLedger
from service.usecases.check_turn import CheckTurn
from service.usecases.compact_branch import CompactBranch
from service.usecases.compare_branches import CompareBranches
from service.usecases.configure_tenant import Configurations
from service.usecases.connect_entities import ConnectEntities
from service.usecases.draw_insights import DrawInsights
from service.usecases.erased_ids import ErasedIds
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.equip import equipped
from service.usecases.explain_assembly import ExplainAssembly
from service.usecases.judge_answer import JudgeAnswer
from service.usecases.keep_knowledge import KeepKnowledge
from service.usecases.know_erasures import KnownErasures
from service.usecases.learn_answers import LearnAnswers
from service.usecases.learn_in_background import LearnInBackground
from service.usecases.manage_keys import Keys
from service.usecases.prove_log import ProveLog
from service.usecases.put_entity import PutEntity
from service.usecases.rate_answer import RateAnswer
from service.usecases.read_compaction import ReadCompaction
from service.usecases.read_event import ReadEvent
from service.usecases.read_learned import ReadLearned
from service.usecases.read_pins import ReadPins
from service.usecases.read_transcript import ReadTranscript
from service.usecases.read_user_memories import ReadUserMemories
from service.usecases.read_working_memory import ReadWorkingMemory
from service.usecases.recall.forgetting import Forgetting
from service.usecases.recall.shelves import Shelves
from service.usecases.recall.vectors import Vectors
from service.usecases.rehydrate_artifact import RehydrateArtifact
from service.usecases.replay_assembly import ReplayAssembly
from service.usecases.report_costs import ReportCosts
from service.usecases.resume_checkpoint import ResumeCheckpoint
from service.usecases.review_candidates import ReviewCandidates
from service.usecases.search_knowledge import SearchKnowledge
from service.usecases.summarise_items import SummariseItems
from service.usecases.trace_evidence import TraceEvidence


def wire(
    graph: Graph,
    blobs: Blobs,
    secret: bytes,
    admin_key: str | None,
    clock: Clock | None = None,
    chat: ChatModel | None = None,
    vectors: Vectors | None = None,
    erasures: KnownErasures | None = None,
    custody: Custody | None = None,
) -> Services:
    """The use cases over one graph and one blob store. `secret` is the server's own, 32 bytes; `chat` writes
    summaries for tenants who want that; without `vectors` they are made on this machine; `erasures` say which
    payloads may be missing, and what a restored database has to carry out again; without `custody` people's
    rights are not carried out here."""
    now = clock or SystemClock()
    counting = tokenizer()
    configurations, unhurried = Configurations(graph, now), UnhurriedGraph(graph)
    vectors = vectors or Vectors(LocalEmbedder())
    search = SearchKnowledge(graph, vectors)
    erased = ErasedIds(secret)
    shelves = Shelves(vectors)
    forgetting = Forgetting(graph, (shelves.forget, search.forget))
    chooser = Chooser(graph, counting, now, secret, configurations, shelves, search, erased, forgetting)
    append_events = AppendEvents(graph, blobs, counting, now, secret, configurations)
    knowledge = KeepKnowledge(graph, now, counting, search, secret)
    return Services(
        graph=graph,
        keys=Keys(graph, now, secret, admin_key),
        append_events=append_events,
        configurations=configurations,
        assemble_context=AssembleContext(graph, blobs, chooser),
        explain_assembly=ExplainAssembly(graph, chooser),
        replay_assembly=ReplayAssembly(graph, chooser),
        rehydrate_artifact=RehydrateArtifact(graph, blobs, configurations),
        prove_log=ProveLog(graph),
        read_event=ReadEvent(graph, erasures or NOTHING_ERASED),
        read_transcript=ReadTranscript(graph),
        read_user_memories=ReadUserMemories(graph, now),
        read_working_memory=ReadWorkingMemory(graph),
        read_pins=ReadPins(graph),
        resume_checkpoint=ResumeCheckpoint(graph, append_events),
        compare_branches=CompareBranches(graph),
        compact_branch=CompactBranch(graph, append_events, configurations, SummariseItems(chat)),
        read_compaction=ReadCompaction(graph),
        check_turn=CheckTurn(graph, now, configurations, erased),
        report_costs=ReportCosts(graph, now, configurations),
        trace_evidence=TraceEvidence(graph, blobs, erasures or NOTHING_ERASED),
        judge_answer=JudgeAnswer(graph, now, configurations),
        review_candidates=ReviewCandidates(graph, now, configurations, knowledge, secret),
        keep_knowledge=knowledge,
        learning=LearnInBackground(
            LearnAnswers(unhurried, configurations), DrawInsights(unhurried, now, configurations), now
        ),
        put_entity=PutEntity(graph, now, erased),
        connect_entities=ConnectEntities(graph, now, erased),
        rate_answer=RateAnswer(graph, now, configurations, erased),
        read_learned=ReadLearned(graph, now, configurations),
        forgetting=forgetting,
        secret=secret,
        ledger=CheckLedger(graph, erasures, now) if erasures else None,
        privacy=equipped(graph, custody, now, secret) if custody else None,
    )
