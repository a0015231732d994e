import type { ApprovalRule } from './approval-rule.ts';

/** A tool call that a person must decide on. */
export interface ApprovalRequest {
  /** Identifies the call in its turn, for `--approve` and `--deny`. */
  readonly call: string;
  readonly tool: string;
  readonly server: string;
  /** As JSON text. */
  readonly arguments: string;
  readonly description: string;
  readonly rule: ApprovalRule;
}

/** Decides on one call; a text is the reason of a refusal, which the model receives. */
export type ApprovalDecision = 'allow' | 'deny' | { readonly deny: string };

/** The decisions of a person on the calls of an interrupted turn: by call, or for all. */
export interface GivenApprovals {
  readonly approve: readonly string[];
  readonly deny: readonly string[];
}
