import type { JsonObject } from '../../base/json.ts';
import type { ToolQuestion } from '../questions/tool-question.ts';
import type { ApprovalRule } from './approval-rule.ts';

/** A tool call that waits for a person: for a decision by its rule, or for the answer to its question. */
export interface WaitingCall {
  /** Identifies the call in its turn, for `--approve`, `--deny` and `--answer`. */
  readonly call: string;
  readonly tool: string;
  readonly server: string;
  /** As JSON text. */
  readonly arguments: string;
  readonly description: string;
  readonly rule?: ApprovalRule;
  readonly question?: ToolQuestion;
}

/** A tool call that a person must decide on. */
export interface ApprovalRequest extends Omit<WaitingCall, 'question'> {
  readonly rule: ApprovalRule;
}

/** Decides on one call; a text is the reason of a refusal, which the model receives. */
export type ApprovalDecision = 'allow' | 'deny' | { readonly deny: string };

/** The decisions of a person on the calls of an interrupted turn: by call, or for all. A denied question is declined. */
export interface GivenApprovals {
  readonly approve: readonly string[];
  readonly deny: readonly string[];
  /** Answers to questions, by call. */
  readonly answers?: Readonly<Record<string, JsonObject>>;
}
