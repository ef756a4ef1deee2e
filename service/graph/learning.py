"""Gateway of confidence and review: judgements of answers, learning candidates, reviewers' decisions."""

from __future__ import annotations

from service.graph.query import query

lock_answer = query("judgement/lock_answer")
open_answer = query("judgement/open_answer")
write_judgement = query("judgement/write_judgement")
list_due = query("judgement/list_due")
list_unjudged = query("judgement/list_unjudged")
capture_candidate = query("learning_candidate/capture_candidate")
list_candidates = query("learning_candidate/list_candidates")
read_candidate = query("learning_candidate/read_candidate")
lock_candidate = query("learning_candidate/lock_candidate")
decide_candidate = query("learning_candidate/decide_candidate")
list_newest = query("review_decision/list_newest")
