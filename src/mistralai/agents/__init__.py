"""Fanal: agents that run in your process. What is imported here is the public interface; each name is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import SessionAgentCustomization as SessionAgentCustomization
    from mistralai.agents.authoring.builtins import (
        Builtins as Builtins,
        ProgrammaticToolCallingConfig as ProgrammaticToolCallingConfig,
    )
    from mistralai.agents.authoring.client_tool import (
        ClientTool as ClientTool,
        ClientToolAnswer as ClientToolAnswer,
        ClientToolAnswers as ClientToolAnswers,
        client_tool as client_tool,
    )
    from mistralai.agents.authoring.connectors import (
        AllConnectors as AllConnectors,
        Connector as Connector,
        RemoteMCP as RemoteMCP,
        StdioMCP as StdioMCP,
        all_connectors as all_connectors,
        connector as connector,
    )
    from mistralai.agents.authoring.depends import Depends as Depends
    from mistralai.agents.authoring.environment import MistralSandbox as MistralSandbox, NoSandbox as NoSandbox
    from mistralai.agents.authoring.hook import Hook as Hook
    from mistralai.agents.authoring.hook_decisions import reject as reject, retry as retry, skip as skip
    from mistralai.agents.authoring.model import (
        AssistantMessage as AssistantMessage,
        Model as Model,
        ModelError as ModelError,
        ModelEvent as ModelEvent,
        ModelMessage as ModelMessage,
        ModelRequest as ModelRequest,
        ModelTool as ModelTool,
        ModelToolCall as ModelToolCall,
        OutputFormat as OutputFormat,
        ReasoningBlock as ReasoningBlock,
        ReplyFinished as ReplyFinished,
        SystemMessage as SystemMessage,
        TextChunk as TextChunk,
        ToolCallBlock as ToolCallBlock,
        ToolMessage as ToolMessage,
        UserMessage as UserMessage,
    )
    from mistralai.agents.authoring.permissions import (
        PermissionPolicy as PermissionPolicy,
        PermissionRule as PermissionRule,
    )
    from mistralai.agents.authoring.secrets import MistralSecret as MistralSecret
    from mistralai.agents.authoring.session_input import SessionInput as SessionInput
    from mistralai.agents.authoring.skills import (
        LocalSkillBundle as LocalSkillBundle,
        RegistrySkill as RegistrySkill,
        SandboxWorkspaceSkills as SandboxWorkspaceSkills,
        all_registry_skills as all_registry_skills,
    )
    from mistralai.agents.authoring.subagent import Subagent as Subagent, SubagentPolicy as SubagentPolicy
    from mistralai.agents.authoring.tool import Tool as Tool, tool as tool
    from mistralai.agents.authoring.tool_context import ToolContext as ToolContext
    from mistralai.agents.handles.agent import Agent as Agent
    from mistralai.agents.handles.busy import Busy as Busy
    from mistralai.agents.handles.listing import list_sessions as list_sessions
    from mistralai.agents.handles.session import Session as Session
    from mistralai.agents.handles.turn import Turn as Turn
    from mistralai.agents.local.block import (
        LocalRuntime as LocalRuntime,
        LocalRuntimeStatistics as LocalRuntimeStatistics,
        local_runtime as local_runtime,
    )
    from mistralai.agents.values.annotations import ToolAnnotations as ToolAnnotations
    from mistralai.agents.values.answers import (
        AllowApproval as AllowApproval,
        AlreadySettled as AlreadySettled,
        Answered as Answered,
        DenyApproval as DenyApproval,
        KeepCallbackOpen as KeepCallbackOpen,
        NotFound as NotFound,
        SignInAnswer as SignInAnswer,
    )
    from mistralai.agents.values.callbacks import (
        OpenApproval as OpenApproval,
        OpenCallback as OpenCallback,
        OpenClientToolCall as OpenClientToolCall,
        OpenSignIn as OpenSignIn,
        UnknownOpenCallback as UnknownOpenCallback,
    )
    from mistralai.agents.values.conflicts import TurnConflict as TurnConflict
    from mistralai.agents.values.content import (
        AudioContentBlock as AudioContentBlock,
        ContentAnnotations as ContentAnnotations,
        ContentBlock as ContentBlock,
        EmbeddedResourceContentBlock as EmbeddedResourceContentBlock,
        ImageContentBlock as ImageContentBlock,
        ResourceLinkContentBlock as ResourceLinkContentBlock,
        TextContentBlock as TextContentBlock,
        UnknownContentBlock as UnknownContentBlock,
    )
    from mistralai.agents.values.entries import (
        ContextMessage as ContextMessage,
        Entry as Entry,
        MessageEntry as MessageEntry,
        ToolCallEntry as ToolCallEntry,
        ToolResultEntry as ToolResultEntry,
        UnknownEntry as UnknownEntry,
    )
    from mistralai.agents.values.errors import (
        AgentsError as AgentsError,
        AuthenticationError as AuthenticationError,
        ExperimentalWarning as ExperimentalWarning,
        InvalidCursorError as InvalidCursorError,
        ObservationLost as ObservationLost,
        OutcomeUnknownError as OutcomeUnknownError,
        SdkError as SdkError,
        ServerError as ServerError,
        SessionBusyError as SessionBusyError,
        SessionConfigMismatchError as SessionConfigMismatchError,
        SessionIdempotencyConflictError as SessionIdempotencyConflictError,
        SessionInUseError as SessionInUseError,
        SessionNotFoundError as SessionNotFoundError,
        SessionStartupTimeoutError as SessionStartupTimeoutError,
        SessionTerminatedError as SessionTerminatedError,
        ToolError as ToolError,
        TurnNotFoundError as TurnNotFoundError,
        UnsupportedAgentFeatureError as UnsupportedAgentFeatureError,
        UnsupportedSessionProcedureError as UnsupportedSessionProcedureError,
    )
    from mistralai.agents.values.events import (
        CallbackOpened as CallbackOpened,
        CallbackResolved as CallbackResolved,
        EntryAdded as EntryAdded,
        EntryCompleted as EntryCompleted,
        Event as Event,
        Notice as Notice,
        SessionUpdated as SessionUpdated,
        TextDelta as TextDelta,
        TurnEnded as TurnEnded,
        TurnStarted as TurnStarted,
        TurnUpdated as TurnUpdated,
        UnknownEvent as UnknownEvent,
        UsageReported as UsageReported,
    )
    from mistralai.agents.values.history_import import (
        HistoryImportEntry as HistoryImportEntry,
        HistoryImportMessage as HistoryImportMessage,
        HistoryImportReasoning as HistoryImportReasoning,
        HistoryImportSnapshot as HistoryImportSnapshot,
        HistoryImportToolCall as HistoryImportToolCall,
        HistoryImportToolResult as HistoryImportToolResult,
    )
    from mistralai.agents.values.protocol_error import ProtocolError as ProtocolError
    from mistralai.agents.values.requests import (
        ApprovalCallbackContext as ApprovalCallbackContext,
        ApprovalRequest as ApprovalRequest,
        ApprovalTool as ApprovalTool,
        ClientToolCall as ClientToolCall,
        SignInRequest as SignInRequest,
    )
    from mistralai.agents.values.sessions import (
        CancelledTermination as CancelledTermination,
        CompletedTermination as CompletedTermination,
        FailedTermination as FailedTermination,
        SessionInfo as SessionInfo,
        Termination as Termination,
        UnknownTermination as UnknownTermination,
    )
    from mistralai.agents.values.tool_calls import ToolCall as ToolCall
    from mistralai.agents.values.tool_result import ToolResult as ToolResult
    from mistralai.agents.values.turn_states import (
        Blocked as Blocked,
        Completed as Completed,
        Failed as Failed,
        Interrupted as Interrupted,
        InvalidOutput as InvalidOutput,
        Running as Running,
        TurnState as TurnState,
        UnknownOutcome as UnknownOutcome,
    )
    from mistralai.agents.values.usage import TokenUsage as TokenUsage, UsageLimits as UsageLimits
    from mistralai.agents.values.wire import from_json as from_json, to_json as to_json

_WHERE = {
    "authoring.agent_definition": "SessionAgentCustomization",
    "authoring.builtins": "Builtins ProgrammaticToolCallingConfig",
    "authoring.client_tool": "ClientTool ClientToolAnswer ClientToolAnswers client_tool",
    "authoring.connectors": "AllConnectors Connector RemoteMCP StdioMCP all_connectors connector",
    "authoring.depends": "Depends",
    "authoring.environment": "MistralSandbox NoSandbox",
    "authoring.hook": "Hook",
    "authoring.hook_decisions": "reject retry skip",
    "authoring.model": "AssistantMessage Model ModelError ModelEvent ModelMessage ModelRequest ModelTool ModelToolCall OutputFormat ReasoningBlock ReplyFinished SystemMessage TextChunk ToolCallBlock ToolMessage UserMessage",
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
    "values.content": "AudioContentBlock ContentAnnotations ContentBlock EmbeddedResourceContentBlock ImageContentBlock ResourceLinkContentBlock TextContentBlock UnknownContentBlock",
    "values.entries": "ContextMessage Entry MessageEntry ToolCallEntry ToolResultEntry UnknownEntry",
    "values.errors": "AgentsError AuthenticationError ExperimentalWarning InvalidCursorError ObservationLost OutcomeUnknownError SdkError ServerError SessionBusyError SessionConfigMismatchError SessionIdempotencyConflictError SessionInUseError SessionNotFoundError SessionStartupTimeoutError SessionTerminatedError ToolError TurnNotFoundError UnsupportedAgentFeatureError UnsupportedSessionProcedureError",
    "values.events": "CallbackOpened CallbackResolved EntryAdded EntryCompleted Event Notice SessionUpdated TextDelta TurnEnded TurnStarted TurnUpdated UnknownEvent UsageReported",
    "values.history_import": "HistoryImportEntry HistoryImportMessage HistoryImportReasoning HistoryImportSnapshot HistoryImportToolCall HistoryImportToolResult",
    "values.protocol_error": "ProtocolError",
    "values.requests": "ApprovalCallbackContext ApprovalRequest ApprovalTool ClientToolCall SignInRequest",
    "values.sessions": "CancelledTermination CompletedTermination FailedTermination SessionInfo Termination UnknownTermination",
    "values.tool_calls": "ToolCall",
    "values.tool_result": "ToolResult",
    "values.turn_states": "Blocked Completed Failed Interrupted InvalidOutput Running TurnState UnknownOutcome",
    "values.usage": "TokenUsage UsageLimits",
    "values.wire": "from_json to_json",
}
_NAMES = {name: module for module, names in _WHERE.items() for name in names.split()}
_MODULES = ("experimental", "pattern", "testing")

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]  # the modules are loaded on demand, like the names
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
    "from_json",
    "list_sessions",
    "local_runtime",
    "reject",
    "retry",
    "skip",
    "to_json",
    "tool",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _NAMES:
        value: object = getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_MODULES})
