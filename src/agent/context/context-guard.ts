import type { LlmUsage } from '../llm-port.ts';
import type { Target } from '../session-config.ts';

/** How a projection stands against a target's limit. */
export interface Projection {
  readonly provider: string;
  readonly model: string;
  readonly projectedTokens: number;
  readonly limitTokens: number;
  readonly fits: boolean;
}

/** The place of one tool response in the context, held from the moment the call is accepted. */
export interface Reservation {
  /**
   * Swaps what is held for what the response costs. If that does not fit, what was held stays for the stub, and the projection
   * tells by how much it failed.
   */
  readonly commit: (tokens: number) => Projection;
  /** Gives back what is held, because another reservation carries the response. */
  readonly release: () => void;
}

/**
 * Keeps every request within the context window. Four counters: `current` is what the provider says the conversation held after
 * its last answer; `pending` is what was appended since; `fresh` is what tools returned in this turn; `schema` is what the tool
 * definitions of the next request cost.
 *
 * A response is checked and counted in one synchronous step, and each call holds room for its stub from the start: so tools that
 * run in parallel cannot overshoot together, in whatever order they end.
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

  get pendingTokens(): number {
    return this.#appended + this.#ephemeral;
  }

  get schemaTokens(): number {
    return this.#schema;
  }

  /** What the next request holds. */
  get expectedTokens(): number {
    return this.#current + this.pendingTokens + this.#schema;
  }

  /** Counts a message that stays in the conversation. */
  append(tokens: number): void {
    this.#appended += tokens;
  }

  /** Says what the next request carries besides the conversation; replaces what was said before. */
  expose({ schemaTokens, ephemeralTokens }: { schemaTokens: number; ephemeralTokens: number }): void {
    this.#schema = schemaTokens;
    this.#ephemeral = ephemeralTokens;
  }

  /** Checks the next request against a target. Whatever tools returned becomes pending first, so that a retry loses nothing. */
  checkRequest(target: Target): Projection {
    this.#appended += this.#fresh;
    this.#fresh = 0;
    return this.#project(target, 0);
  }

  /** Holds room for a tool call that was accepted: at least for the stub that stands for a response that does not fit. */
  reserve(stubTokens: number): Reservation {
    let held = stubTokens;
    this.#fresh += held;
    return {
      commit: (tokens) => {
        const projection = this.#project(this.#tightest(), tokens - held);
        if (projection.fits) {
          this.#fresh += tokens - held;
          held = tokens;
        }
        return projection;
      },
      release: () => {
        this.#fresh -= held;
        held = 0;
      },
    };
  }

  /** Takes over what the provider counted. */
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

  /** Any target may have to take over, so a response must fit into the smallest window. */
  #tightest(): Target {
    return this.#targets.reduce((least, target) =>
      contextLimit(target) < contextLimit(least) ? target : least,
    );
  }
}

/** How many tokens a request to a target may have. */
export function contextLimit(target: Target): number {
  return target.contextWindow - target.contextWindowBufferTokens - target.maxOutputTokens;
}
