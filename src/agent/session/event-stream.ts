import type { SessionEvent } from '../session-event.ts';

type Listener = (event: SessionEvent) => void;

/** Distributes the events of a session and its sub-agents to the listener and to the readers of its stream. */
export class EventStream {
  readonly #listener: Listener | undefined;
  readonly #readers = new Set<Reader>();

  constructor(listener: Listener | undefined) {
    this.#listener = listener;
  }

  /** Contract: never throws; an event listener must not be able to end the session. */
  readonly emit: Listener = (event) => {
    try {
      this.#listener?.(event);
    } catch {
      // The session continues without this listener's reaction.
    }
    for (const reader of this.#readers) reader.push(event);
  };

  /** Runs an action that never rejects, and yields the events from its start to its end. */
  async *read(run: () => Promise<unknown>): AsyncGenerator<SessionEvent, void> {
    const reader = new Reader();
    this.#readers.add(reader);
    void run().then(() => reader.end());
    try {
      for (;;) {
        const event = await reader.next();
        if (event === undefined) return;
        yield event;
      }
    } finally {
      this.#readers.delete(reader);
    }
  }
}

/** A queue with one consumer. */
class Reader {
  readonly #events: SessionEvent[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  push(event: SessionEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Returns undefined after the last event. */
  async next(): Promise<SessionEvent | undefined> {
    while (this.#events.length === 0 && !this.#isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#events.shift();
  }
}
