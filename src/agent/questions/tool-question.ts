import type { JsonObject } from '../../base/json.ts';

/** A question that a tool server asks the user while a call runs (MCP elicitation). Untrusted text. */
export interface ToolQuestion {
  readonly message: string;
  /** JSON Schema of the answer: an object of texts, numbers, booleans and choices. */
  readonly schema: JsonObject;
}

/** The answer of a person: the fields, a refusal, or no decision. */
export type QuestionAnswer =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** A question with the call that asks it. */
export interface QuestionRequest extends ToolQuestion {
  readonly tool: string;
  readonly server: string;
  /** As JSON text. */
  readonly arguments: string;
}

/** An answer that was given to a question of a call; it holds only for that very question. */
export interface GivenAnswer extends ToolQuestion {
  readonly call: string;
  /** Absent for a question that was declined. */
  readonly content?: JsonObject;
}
