/** Where an entry comes from among agents that call each other. */
export interface TraceIds {
  readonly agentId?: string;
  /** The names from the first agent to this one, joined by `->`. */
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
  /** The provider told nothing; these are estimates. */
  readonly estimated?: true;
}

/** One request to a model, whether it succeeded or not. */
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

/** One execution of a tool, whether it succeeded or not. */
export interface ToolAccountingEntry extends TraceIds {
  readonly type: 'tool';
  readonly mcpServer: string;
  readonly command: string;
  readonly status: 'ok' | 'failed';
  readonly latency: number;
  readonly timestamp: number;
  readonly charactersIn: number;
  readonly charactersOut: number;
  /** Set when the call came through a tag instead of a native tool call. */
  readonly source?: 'xml';
  readonly error?: string;
  /** Set when the output did not fit into the context: what it would have cost, and what its stub costs. */
  readonly droppedTokens?: number;
  readonly replacementTokens?: number;
}

export type AccountingEntry = LlmAccountingEntry | ToolAccountingEntry;
