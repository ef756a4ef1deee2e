"""The use cases that the endpoints call, as one typed value; `service.wiring` makes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.graph.driver import Graph
from service.usecases.append_events import AppendEvents
from service.usecases.assemble_context import AssembleContext
from service.usecases.check_ledger import CheckLedger
from service.usecases.check_turn import CheckTurn
from service.usecases.compact_branch import CompactBranch
from service.usecases.compare_branches import CompareBranches
from service.usecases.configure_tenant import Configurations
from service.usecases.connect_entities import ConnectEntities
from service.usecases.erasure.equip import Privacy
from service.usecases.explain_assembly import ExplainAssembly
from service.usecases.judge_answer import JudgeAnswer
from service.usecases.keep_knowledge import KeepKnowledge
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
from service.usecases.rehydrate_artifact import RehydrateArtifact
from service.usecases.replay_assembly import ReplayAssembly
from service.usecases.report_costs import ReportCosts
from service.usecases.resume_checkpoint import ResumeCheckpoint
from service.usecases.review_candidates import ReviewCandidates
from service.usecases.trace_evidence import TraceEvidence


@dataclass(frozen=True, slots=True)
class Services:
    """One field per use case. `secret` signs the consistency tokens."""

    graph: Graph
    keys: Keys
    append_events: AppendEvents
    configurations: Configurations
    assemble_context: AssembleContext
    explain_assembly: ExplainAssembly
    replay_assembly: ReplayAssembly
    rehydrate_artifact: RehydrateArtifact
    prove_log: ProveLog
    read_event: ReadEvent
    read_transcript: ReadTranscript
    read_user_memories: ReadUserMemories
    read_working_memory: ReadWorkingMemory
    read_pins: ReadPins
    resume_checkpoint: ResumeCheckpoint
    compare_branches: CompareBranches
    compact_branch: CompactBranch
    read_compaction: ReadCompaction
    check_turn: CheckTurn
    report_costs: ReportCosts
    trace_evidence: TraceEvidence
    judge_answer: JudgeAnswer
    review_candidates: ReviewCandidates
    keep_knowledge: KeepKnowledge
    learning: LearnInBackground
    put_entity: PutEntity
    connect_entities: ConnectEntities
    rate_answer: RateAnswer
    read_learned: ReadLearned
    forgetting: Forgetting
    secret: bytes = field(repr=False)
    ledger: CheckLedger | None = None
    """None where no ledger was given: nothing is held against one."""

    privacy: Privacy | None = None
    """None where nobody gave keys and a ledger: people's rights are carried out elsewhere."""

    async def check_gate(self) -> None:
        """Raises ErasuresToReplay or LedgerUnusable while nothing may be served."""
        if self.ledger is not None:
            await self.ledger.gate()
