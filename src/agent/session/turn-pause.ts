import type { SessionScope } from './session-scope.ts';

const SHORTEST_MS = 500;
const LONGEST_MS = 4000;

/**
 * The pause after a turn in which no provider could be reached. The attempts of a turn follow each other at once, as the contract
 * requires; without a pause between turns all of them would be used up within seconds.
 */
export class TurnPause {
  #nextMs = SHORTEST_MS;

  async wait({ ports, abortSignal, stopSignal }: SessionScope): Promise<void> {
    await ports.sleep(this.#nextMs, AbortSignal.any([abortSignal, stopSignal]));
    this.#nextMs = Math.min(this.#nextMs * 2, LONGEST_MS);
  }

  reset(): void {
    this.#nextMs = SHORTEST_MS;
  }
}
