/** Signals that were received before the program was loaded. */
export interface EarlySignals {
  /** Passes every signal to a listener, starting with those already received. */
  readonly passTo: (listener: () => void) => void;
  /** Restores the default handling of signals; if one was already received, the process exits. */
  readonly release: () => void;
}
