/** Signals that were caught before the program was loaded. */
export interface EarlySignals {
  /** Passes every signal to a listener, those that have come already first. */
  readonly passTo: (listener: () => void) => void;
  /** Gives the signals their usual effect again; if one has come already, the process ends now. */
  readonly release: () => void;
}
