/** The public API of the agent library, `deed-cli/agent`. */
export { Fault } from '../base/fault.ts';
export { openAgent, type OpenAgentOptions } from './open-agent.ts';
export type { PreparedAgent, CallerPorts } from './prepare-agent.ts';
export type { SessionSettings } from './config/resolve-session.ts';
export type { AgentConfigFile } from './config/config-schema.ts';
export { AIAgentSession } from './session/ai-agent-session.ts';
export type { SessionConfig, SessionLimits, Target, OutputFormat, Transport } from './session-config.ts';
export { listSessions, type SessionSummary } from './stored-session/list-sessions.ts';
export { readSession } from './stored-session/read-session.ts';
export type { StoredSession } from './stored-session/restore-session.ts';
export type {
  ApprovalDecision,
  ApprovalRequest,
  GivenApprovals,
  WaitingCall,
} from './approval/approval-request.ts';
export type { QuestionAnswer, QuestionRequest, ToolQuestion } from './questions/tool-question.ts';
export type { SamplingAnswer, SamplingRequest } from './sampling/sampling-request.ts';
export type { ApprovalRule } from './approval/approval-rule.ts';
export type { ReportGuard } from './guards/report-guard.ts';
export type { SessionHooks } from './hooks/session-hooks.ts';
export type { SessionPorts } from './session-ports.ts';
export { signIn, type SignInOptions } from './tools/oauth/sign-in.ts';
export type { SessionEvent, SessionEventBody } from './session-event.ts';
export type { AIAgentResult, FinalReport, ErrorKind, FailureReason } from './agent-result.ts';
export type { AccountingEntry, LlmAccountingEntry, ToolAccountingEntry } from './accounting-entry.ts';
export type { Attachment, Message, ToolCall } from './conversation.ts';
export type { LlmPort, LlmRequest, LlmOutcome, LlmParameters } from './llm-port.ts';
export type { ToolHost, ToolDefinition, ToolOutcome, ToolCallContext } from './tool-host.ts';
export { renderReport } from './report/render-report.ts';
