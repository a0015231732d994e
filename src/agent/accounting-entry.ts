/** Identifies the session and the caller that an entry belongs to. */
export interface TraceIds {
  readonly agentId?: string;
  /** Agent names from the root agent to this one, joined by `->`. */
  readonly callPath?: string;
  readonly txnId?: string;
  readonly parentTxnId?: string;
  readonly originTxnId?: string;
}

export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
  readonly totalTokens: number;
  /** The provider reported no usage, or its response broke; these counts are estimates. */
  readonly estimated?: true;
}

/** One LLM request, successful or failed. */
export interface LlmAccountingEntry extends TraceIds {
  readonly type: 'llm';
  readonly provider: string;
  readonly model: string;
  readonly actualProvider?: string;
  readonly actualModel?: string;
  readonly status: 'ok' | 'failed';
  readonly latency: number;
  readonly timestamp: number;
  readonly tokens: TokenCounts;
  readonly costUsd?: number;
  readonly stopReason?: string;
  readonly error?: string;
}

/** One tool execution, successful or failed. */
export interface ToolAccountingEntry extends TraceIds {
  readonly type: 'tool';
  readonly mcpServer: string;
  readonly command: string;
  readonly status: 'ok' | 'failed';
  readonly latency: number;
  readonly timestamp: number;
  readonly charactersIn: number;
  readonly charactersOut: number;
  /** Set when the model called the tool with an XML tag instead of a native tool call. */
  readonly source?: 'xml';
  readonly error?: string;
  /** Set when the output did not fit into the context: its estimated tokens, and the tokens of the stub that replaced it. */
  readonly droppedTokens?: number;
  readonly replacementTokens?: number;
}

export type AccountingEntry = LlmAccountingEntry | ToolAccountingEntry;
