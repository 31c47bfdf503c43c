"""How the API describes itself: what it says first, and what its words of a choice are called."""

from typing import Any

SETTINGS: dict[str, Any] = {
    "TITLE": "EvalHub API",
    "VERSION": "1",
    "DESCRIPTION": (
        "A token (`evalhub token create`) opens one workspace: send it as `Authorization: Bearer "
        "TOKEN` or as `x-api-key`. A session of the pages names its workspace as "
        "`?workspace=slug`. An `x-request-id` of yours comes back, otherwise one is made. Lists "
        "come in pages: ask again with `?cursor=` and `next` of the answer. Every failure has the "
        "same envelope: `error.code`, `error.message`, `error.details` and `request_id`."
    ),
    "OAS_VERSION": "3.1.0",  # the document of an upload is described by JSON Schema
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "GET_LIB_DOC_EXCLUDES": "apps.accounts.schema.silent_bases",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "AcceptanceEnum": ["accepted", "accepted_with_record_errors"],
        "CampaignKindEnum": "apps.labeling.models.Campaign.Kind",
        "CampaignStateEnum": "apps.labeling.models.Campaign.State",
        "FailureEnum": "apps.runs.models.Failure.values",
        "GateAnswerEnum": "apps.analysis.models.gates.Answer.values",
        "GateCheckCodeEnum": "apps.analysis.api.gate_serializers.CODES",
        "MethodEnum": ["code", "judge"],
        "JobStateEnum": "apps.jobs.models.JobState.values",
        "ResultStatusEnum": "apps.runs.models.ResultStatus",
        "ReviewStateEnum": "apps.labeling.models.Review.State",
        "RunKindEnum": "apps.runs.models.Run.Kind",
        "RunStateEnum": "apps.runs.models.RunState",
        "QuestionKindEnum": "apps.labeling.models.Question.Kind",
        "TaskIdEnum": "apps.labeling.task_types.MAKERS",
        "TargetKindEnum": "apps.targets.specs.SPEC_OF_KIND",
    },
}
