"""What entries about generation in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "harvest.generated": message("Jobs made"),
    "harvest.generation_failed": message("Jobs could not be made; harvest deactivated"),
    "harvest.plan_asked": message("Plan asked for"),
    "job.remade": message("Job made again with the settings of today"),
}
WORDS: dict[str, Message] = {
    "jobs": message("Jobs"),
    "resubmission_of": message("Made again from job"),
    "trouble": message("What went wrong"),
}
