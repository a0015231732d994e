import type { LlmUsage } from '../llm-port.ts';
import type { Target } from '../session-config.ts';

/** Projected tokens compared with a target's limit. */
export interface Projection {
  readonly provider: string;
  readonly model: string;
  readonly projectedTokens: number;
  readonly limitTokens: number;
  readonly fits: boolean;
}

/** The context tokens reserved for one tool response, from the moment the call is accepted. */
export interface Reservation {
  /**
   * Replaces the reserved tokens with the tokens of the response. If the response does not fit, the reservation stays for the stub, and the
   * projection contains the excess.
   */
  readonly commit: (tokens: number) => Projection;
  /** Releases the reserved tokens, because another reservation includes the response. */
  readonly release: () => void;
}

/**
 * Keeps every request within the context window. It has five counters: `current` is the size of the conversation that the provider
 * reported with its last response; `appended` are the messages since then, without the tool output of this turn, which is `fresh`;
 * `ephemeral` is what only the next request contains; `schema` is the size of its tool definitions.
 *
 * A tool response is checked and counted in one synchronous step, and each call reserves tokens for its stub when it is accepted.
 * Parallel tools therefore cannot exceed the limit together, in any order of completion.
 */
export class ContextGuard {
  readonly #targets: readonly Target[];
  #current = 0;
  #appended = 0;
  #ephemeral = 0;
  #fresh = 0;
  #schema = 0;

  constructor(targets: readonly Target[]) {
    this.#targets = targets;
  }

  get currentTokens(): number {
    return this.#current;
  }

  /** Tokens that the next request has in addition to `current`, without tool output of this turn. */
  get pendingTokens(): number {
    return this.#appended + this.#ephemeral;
  }

  /** Tokens of the messages that the provider has not counted yet, including tool output. They are restored with the session. */
  get unsettledTokens(): number {
    return this.#appended + this.#fresh;
  }

  get schemaTokens(): number {
    return this.#schema;
  }

  /** The expected size of the next request. */
  get expectedTokens(): number {
    return this.#current + this.pendingTokens + this.#schema;
  }

  /** The estimated size of the next prompt: what the provider reported already contains the tool definitions. */
  get promptTokens(): number {
    return this.#current + this.pendingTokens + (this.#current === 0 ? this.#schema : 0);
  }

  /** Continues with the counters of a resumed session. */
  restore({ currentTokens, unsettledTokens }: { currentTokens: number; unsettledTokens: number }): void {
    this.#current = currentTokens;
    this.#appended = unsettledTokens;
  }

  /** Counts a message that stays in the conversation. */
  append(tokens: number): void {
    this.#appended += tokens;
  }

  /** Sets the tokens that the next request contains in addition to the conversation. */
  expose({ schemaTokens, ephemeralTokens }: { schemaTokens: number; ephemeralTokens: number }): void {
    this.#schema = schemaTokens;
    this.#ephemeral = ephemeralTokens;
  }

  /** Checks the next request against a target. First moves tool output to pending, so that a retry does not lose it. */
  checkRequest(target: Target): Projection {
    this.#appended += this.#fresh;
    this.#fresh = 0;
    return this.#project(target, 0);
  }

  /** Reserves tokens for an accepted tool call: enough for the stub that replaces a response that does not fit. */
  reserve(stubTokens: number): Reservation {
    let reserved = stubTokens;
    this.#fresh += reserved;
    return {
      commit: (tokens) => {
        const projection = this.#project(this.#smallestTarget(), tokens - reserved);
        if (projection.fits) {
          this.#fresh += tokens - reserved;
          reserved = tokens;
        }
        return projection;
      },
      release: () => {
        this.#fresh -= reserved;
        reserved = 0;
      },
    };
  }

  /** Replaces the counters with the usage reported by the provider. */
  settle({ inputTokens, outputTokens, cacheReadTokens }: LlmUsage): void {
    this.#current = inputTokens + outputTokens + cacheReadTokens;
    this.#appended = 0;
    this.#ephemeral = 0;
    this.#fresh = 0;
  }

  #project(target: Target, extra: number): Projection {
    const projectedTokens = this.#current + this.pendingTokens + this.#fresh + this.#schema + extra;
    const limitTokens = contextLimit(target);
    const { provider, model } = target;
    return { provider, model, projectedTokens, limitTokens, fits: projectedTokens <= limitTokens };
  }

  /** Returns the target with the smallest limit; a response must fit there, because any target may be the fallback. */
  #smallestTarget(): Target {
    return this.#targets.reduce((smallest, target) =>
      contextLimit(target) < contextLimit(smallest) ? target : smallest,
    );
  }
}

/** Returns the largest request size of a target in tokens. */
export function contextLimit(target: Target): number {
  return target.contextWindow - target.contextWindowBufferTokens - target.maxOutputTokens;
}
