"""Fanal: agents that run in your process. Every public name is here, and each is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistralai.agents import experimental as experimental, pattern as pattern, testing as testing
    from mistralai.agents.authoring import hook as hook
    from mistralai.agents.authoring.agent_definition import SessionAgentCustomization
    from mistralai.agents.authoring.builtins import (
        Builtins,
        ProgrammaticToolCallingConfig,
    )
    from mistralai.agents.authoring.client_tool import (
        ClientTool,
        ClientToolAnswer,
        ClientToolAnswers,
        client_tool,
    )
    from mistralai.agents.authoring.connectors import (
        AllConnectors,
        Connector,
        RemoteMCP,
        StdioMCP,
        all_connectors,
        connector,
    )
    from mistralai.agents.authoring.depends import Depends
    from mistralai.agents.authoring.draws import now, random, sleep, uuid4
    from mistralai.agents.authoring.environment import MistralSandbox, NoSandbox
    from mistralai.agents.authoring.hook import Hook
    from mistralai.agents.authoring.hook_decisions import reject, retry, skip
    from mistralai.agents.authoring.model import (
        AssistantMessage,
        Model,
        ModelError,
        ModelEvent,
        ModelMessage,
        ModelRequest,
        ModelTool,
        ModelToolCall,
        OutputFormat,
        ReasoningBlock,
        ReplyFinished,
        SystemMessage,
        TextChunk,
        ToolCallBlock,
        ToolMessage,
        UserMessage,
    )
    from mistralai.agents.authoring.permissions import (
        PermissionPolicy,
        PermissionRule,
    )
    from mistralai.agents.authoring.secrets import MistralSecret
    from mistralai.agents.authoring.session_input import SessionInput
    from mistralai.agents.authoring.skills import (
        LocalSkillBundle,
        RegistrySkill,
        SandboxWorkspaceSkills,
        all_registry_skills,
    )
    from mistralai.agents.authoring.subagent import Subagent, SubagentPolicy
    from mistralai.agents.authoring.tool import Tool, tool
    from mistralai.agents.authoring.tool_context import ToolContext
    from mistralai.agents.handles.agent import Agent
    from mistralai.agents.handles.busy import Busy
    from mistralai.agents.handles.listing import list_sessions
    from mistralai.agents.handles.session import Session
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.local.block import (
        LocalRuntime,
        LocalRuntimeStatistics,
        local_runtime,
    )
    from mistralai.agents.values.annotations import ToolAnnotations
    from mistralai.agents.values.answers import (
        AllowApproval,
        AlreadySettled,
        Answered,
        DenyApproval,
        KeepCallbackOpen,
        NotFound,
        SignInAnswer,
    )
    from mistralai.agents.values.callbacks import (
        OpenApproval,
        OpenCallback,
        OpenClientToolCall,
        OpenSignIn,
        UnknownOpenCallback,
    )
    from mistralai.agents.values.conflicts import TurnConflict
    from mistralai.agents.values.content import (
        AudioContentBlock,
        ContentAnnotations,
        ContentBlock,
        EmbeddedResourceContentBlock,
        ImageContentBlock,
        ResourceLinkContentBlock,
        TextContentBlock,
        UnknownContentBlock,
    )
    from mistralai.agents.values.entries import (
        ContextMessage,
        Entry,
        MessageEntry,
        ToolCallEntry,
        ToolResultEntry,
        UnknownEntry,
    )
    from mistralai.agents.values.errors import (
        AgentsError,
        AuthenticationError,
        ExperimentalWarning,
        InvalidCursorError,
        ObservationLost,
        OutcomeUnknownError,
        SdkError,
        ServerError,
        SessionBusyError,
        SessionConfigMismatchError,
        SessionIdempotencyConflictError,
        SessionInUseError,
        SessionNotFoundError,
        SessionStartupTimeoutError,
        SessionTerminatedError,
        ToolError,
        TurnNotFoundError,
        UnsupportedAgentFeatureError,
        UnsupportedSessionProcedureError,
    )
    from mistralai.agents.values.events import (
        CallbackOpened,
        CallbackResolved,
        EntryAdded,
        EntryCompleted,
        Event,
        Notice,
        SessionUpdated,
        TextDelta,
        TurnEnded,
        TurnStarted,
        TurnUpdated,
        UnknownEvent,
        UsageReported,
    )
    from mistralai.agents.values.history_import import (
        HistoryImportEntry,
        HistoryImportMessage,
        HistoryImportReasoning,
        HistoryImportSnapshot,
        HistoryImportToolCall,
        HistoryImportToolResult,
    )
    from mistralai.agents.values.protocol_error import ProtocolError
    from mistralai.agents.values.requests import (
        ApprovalCallbackContext,
        ApprovalRequest,
        ApprovalTool,
        ClientToolCall,
        SignInRequest,
    )
    from mistralai.agents.values.sessions import (
        CancelledTermination,
        CompletedTermination,
        FailedTermination,
        SessionInfo,
        Termination,
        UnknownTermination,
    )
    from mistralai.agents.values.tool_calls import ToolCall
    from mistralai.agents.values.tool_result import ToolResult
    from mistralai.agents.values.turn_states import (
        Blocked,
        Completed,
        Failed,
        Interrupted,
        InvalidOutput,
        Running,
        TurnState,
        UnknownOutcome,
    )
    from mistralai.agents.values.usage import TokenUsage, UsageLimits
    from mistralai.agents.values.wire import from_json, to_json

_WHERE = {
    "authoring.agent_definition": "SessionAgentCustomization",
    "authoring.builtins": "Builtins ProgrammaticToolCallingConfig",
    "authoring.client_tool": "ClientTool ClientToolAnswer ClientToolAnswers client_tool",
    "authoring.connectors": "AllConnectors Connector RemoteMCP StdioMCP all_connectors connector",
    "authoring.depends": "Depends",
    "authoring.draws": "now random sleep uuid4",
    "authoring.environment": "MistralSandbox NoSandbox",
    "authoring.hook": "Hook",
    "authoring.hook_decisions": "reject retry skip",
    "authoring.model": (
        "AssistantMessage Model ModelError ModelEvent ModelMessage ModelRequest ModelTool ModelToolCall OutputFormat "
        "ReasoningBlock ReplyFinished SystemMessage TextChunk ToolCallBlock ToolMessage UserMessage"
    ),
    "authoring.permissions": "PermissionPolicy PermissionRule",
    "authoring.secrets": "MistralSecret",
    "authoring.session_input": "SessionInput",
    "authoring.skills": "LocalSkillBundle RegistrySkill SandboxWorkspaceSkills all_registry_skills",
    "authoring.subagent": "Subagent SubagentPolicy",
    "authoring.tool": "Tool tool",
    "authoring.tool_context": "ToolContext",
    "handles.agent": "Agent",
    "handles.busy": "Busy",
    "handles.listing": "list_sessions",
    "handles.session": "Session",
    "handles.turn": "Turn",
    "local.block": "LocalRuntime LocalRuntimeStatistics local_runtime",
    "values.annotations": "ToolAnnotations",
    "values.answers": "AllowApproval AlreadySettled Answered DenyApproval KeepCallbackOpen NotFound SignInAnswer",
    "values.callbacks": "OpenApproval OpenCallback OpenClientToolCall OpenSignIn UnknownOpenCallback",
    "values.conflicts": "TurnConflict",
    "values.content": (
        "AudioContentBlock ContentAnnotations ContentBlock EmbeddedResourceContentBlock ImageContentBlock "
        "ResourceLinkContentBlock TextContentBlock UnknownContentBlock"
    ),
    "values.entries": "ContextMessage Entry MessageEntry ToolCallEntry ToolResultEntry UnknownEntry",
    "values.errors": (
        "AgentsError AuthenticationError ExperimentalWarning InvalidCursorError ObservationLost OutcomeUnknownError "
        "SdkError ServerError SessionBusyError SessionConfigMismatchError SessionIdempotencyConflictError "
        "SessionInUseError SessionNotFoundError SessionStartupTimeoutError SessionTerminatedError ToolError "
        "TurnNotFoundError UnsupportedAgentFeatureError UnsupportedSessionProcedureError"
    ),
    "values.events": (
        "CallbackOpened CallbackResolved EntryAdded EntryCompleted Event Notice SessionUpdated TextDelta TurnEnded "
        "TurnStarted TurnUpdated UnknownEvent UsageReported"
    ),
    "values.history_import": (
        "HistoryImportEntry HistoryImportMessage HistoryImportReasoning HistoryImportSnapshot HistoryImportToolCall "
        "HistoryImportToolResult"
    ),
    "values.protocol_error": "ProtocolError",
    "values.requests": "ApprovalCallbackContext ApprovalRequest ApprovalTool ClientToolCall SignInRequest",
    "values.sessions": (
        "CancelledTermination CompletedTermination FailedTermination SessionInfo Termination UnknownTermination"
    ),
    "values.tool_calls": "ToolCall",
    "values.tool_result": "ToolResult",
    "values.turn_states": "Blocked Completed Failed Interrupted InvalidOutput Running TurnState UnknownOutcome",
    "values.usage": "TokenUsage UsageLimits",
    "values.wire": "from_json to_json",
}
_NAMES = {name: module for module, names in _WHERE.items() for name in names.split()}
_MODULES = {"experimental": "experimental", "hook": "authoring.hook", "pattern": "pattern", "testing": "testing"}
"""Modules that are reached as attributes of this one, and where each is."""

__all__ = [
    "Agent",
    "AgentsError",
    "AllConnectors",
    "AllowApproval",
    "AlreadySettled",
    "Answered",
    "ApprovalCallbackContext",
    "ApprovalRequest",
    "ApprovalTool",
    "AssistantMessage",
    "AudioContentBlock",
    "AuthenticationError",
    "Blocked",
    "Builtins",
    "Busy",
    "CallbackOpened",
    "CallbackResolved",
    "CancelledTermination",
    "ClientTool",
    "ClientToolAnswer",
    "ClientToolAnswers",
    "ClientToolCall",
    "Completed",
    "CompletedTermination",
    "Connector",
    "ContentAnnotations",
    "ContentBlock",
    "ContextMessage",
    "DenyApproval",
    "Depends",
    "EmbeddedResourceContentBlock",
    "Entry",
    "EntryAdded",
    "EntryCompleted",
    "Event",
    "ExperimentalWarning",
    "Failed",
    "FailedTermination",
    "HistoryImportEntry",
    "HistoryImportMessage",
    "HistoryImportReasoning",
    "HistoryImportSnapshot",
    "HistoryImportToolCall",
    "HistoryImportToolResult",
    "Hook",
    "ImageContentBlock",
    "Interrupted",
    "InvalidCursorError",
    "InvalidOutput",
    "KeepCallbackOpen",
    "LocalRuntime",
    "LocalRuntimeStatistics",
    "LocalSkillBundle",
    "MessageEntry",
    "MistralSandbox",
    "MistralSecret",
    "Model",
    "ModelError",
    "ModelEvent",
    "ModelMessage",
    "ModelRequest",
    "ModelTool",
    "ModelToolCall",
    "NoSandbox",
    "NotFound",
    "Notice",
    "ObservationLost",
    "OpenApproval",
    "OpenCallback",
    "OpenClientToolCall",
    "OpenSignIn",
    "OutcomeUnknownError",
    "OutputFormat",
    "PermissionPolicy",
    "PermissionRule",
    "ProgrammaticToolCallingConfig",
    "ProtocolError",
    "ReasoningBlock",
    "RegistrySkill",
    "RemoteMCP",
    "ReplyFinished",
    "ResourceLinkContentBlock",
    "Running",
    "SandboxWorkspaceSkills",
    "SdkError",
    "ServerError",
    "Session",
    "SessionAgentCustomization",
    "SessionBusyError",
    "SessionConfigMismatchError",
    "SessionIdempotencyConflictError",
    "SessionInUseError",
    "SessionInfo",
    "SessionInput",
    "SessionNotFoundError",
    "SessionStartupTimeoutError",
    "SessionTerminatedError",
    "SessionUpdated",
    "SignInAnswer",
    "SignInRequest",
    "StdioMCP",
    "Subagent",
    "SubagentPolicy",
    "SystemMessage",
    "Termination",
    "TextChunk",
    "TextContentBlock",
    "TextDelta",
    "TokenUsage",
    "Tool",
    "ToolAnnotations",
    "ToolCall",
    "ToolCallBlock",
    "ToolCallEntry",
    "ToolContext",
    "ToolError",
    "ToolMessage",
    "ToolResult",
    "ToolResultEntry",
    "Turn",
    "TurnConflict",
    "TurnEnded",
    "TurnNotFoundError",
    "TurnStarted",
    "TurnState",
    "TurnUpdated",
    "UnknownContentBlock",
    "UnknownEntry",
    "UnknownEvent",
    "UnknownOpenCallback",
    "UnknownOutcome",
    "UnknownTermination",
    "UnsupportedAgentFeatureError",
    "UnsupportedSessionProcedureError",
    "UsageLimits",
    "UsageReported",
    "UserMessage",
    "all_connectors",
    "all_registry_skills",
    "client_tool",
    "connector",
    "experimental",
    "from_json",
    "hook",
    "list_sessions",
    "local_runtime",
    "now",
    "pattern",
    "random",
    "reject",
    "retry",
    "skip",
    "sleep",
    "to_json",
    "tool",
    "uuid4",
]

if not TYPE_CHECKING:  # or checkers would take any name for one that is here

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _NAMES:
            value: object = getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"{__name__}.{_MODULES[name]}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_MODULES})
