"""How the audit log speaks of jobs."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "job.resubmitted": message("Job resubmitted"),
    "job.copied": message("Job made again with its original settings"),
    "job.rejected": message("Job rejected"),
    "job.restored": message("Rejection of a job taken back"),
    "job.cancelled": message("Job cancelled"),
    "job.hurried": message("Priority of a job changed"),
    "job.paused": message("Job told to pause"),
    "job.resumed": message("Job told to go on"),
    "job.terminated": message("Job told to end"),
    "job.checkpointed": message("Checkpoint of a job asked for"),
    "job.filtered": message("Filter added to a job"),
    "job.budgeted": message("Budget in a job changed"),
    "job.paced": message("Pace of a job changed"),
    "job.asked": message("Question to a job"),
}
WORDS: dict[str, Message] = {
    "job": message("Job"),
    "resubmission_of": message("Made again from job"),
    "new_job": message("New job"),
    "current_settings": message("With current settings"),
    "command": message("Command"),
    "domain": message("Domain"),
    "pattern": message("Regular expression"),
    "preview": message("Preview only"),
    "saved": message("Saved for"),
    "queue": message("Queue"),
    "objects": message("Objects"),
    "bytes": message("Bytes"),
    "priority": message("Priority"),
    "reason": message("Reason"),
    "most": message("At most"),
}
