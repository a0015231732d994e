/** The public API of the agent library, `deed-cli/agent`. */
export { Fault } from '../base/fault.ts';
export { openAgent, type OpenAgentOptions } from './open-agent.ts';
export type { PreparedAgent, CallerPorts } from './prepare-agent.ts';
export type { SessionSettings } from './config/resolve-session.ts';
export type { AgentConfigFile } from './config/config-schema.ts';
export { AIAgentSession } from './session/ai-agent-session.ts';
export type { SessionConfig, SessionLimits, Target, OutputFormat, Transport } from './session-config.ts';
export { listSessions, type SessionLine } from './stored-session/list-sessions.ts';
export { readSession } from './stored-session/read-session.ts';
export type { SavedSession } from './stored-session/saved-session.ts';
export type { SessionPorts } from './session-ports.ts';
export type { SessionEvent, SessionEventBody } from './session-event.ts';
export type { AIAgentResult, FinalReport, ErrorKind, FailureReason } from './agent-result.ts';
export type { AccountingEntry, LlmAccountingEntry, ToolAccountingEntry } from './accounting-entry.ts';
export type { Message, ToolCall } from './conversation.ts';
export type { LlmPort, LlmRequest, LlmOutcome, LlmParameters } from './llm-port.ts';
export type { ToolHost, ToolDefinition, ToolOutcome, ToolCallContext } from './tool-host.ts';
export { renderReport } from './report/render-report.ts';
