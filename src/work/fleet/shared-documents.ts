/** What the hosts of a fleet tell each other, besides the queue itself. */
export type DocumentKind =
  /** Jobs in queues, and their items as they were submitted. */
  | 'jobs'
  | 'plans'
  /** The last known step of each item and the result of its run: a copy of its ref, for hosts without a clone. */
  | 'items'
  | 'results'
  /** The end of the log of each run that was delivered. */
  | 'logs'
  /** What each host reports about its processes. */
  | 'hosts'
  /** The sessions of agents that run. */
  | 'sessions';

/** Documents of the same group are read and removed together; the name tells them apart. */
export interface DocumentPlace {
  readonly kind: DocumentKind;
  readonly group: string;
  readonly name: string;
}

/** A document as it was read, and when it was last written: by the clock of the database, which is the same for all hosts. */
export interface SharedDocument {
  readonly value: unknown;
  readonly at: string;
  readonly ageMs: number;
}

/**
 * Port: small documents that all hosts of a fleet can read and write. Contract: a written document survives the end of this process; it
 * disappears after its time, by the clock of the database. What is read was written by other hosts, so callers check it.
 */
export interface SharedDocuments {
  /** Writes a document, or replaces it. What the caller expects only decides which of the two is tried first. */
  readonly put: (
    place: DocumentPlace,
    value: object,
    keepSeconds: number,
    expected?: 'new' | 'stored',
  ) => Promise<void>;
  /** Reads the documents of a group, or of all groups, the oldest first. */
  readonly read: (kind: DocumentKind, group?: string) => Promise<readonly SharedDocument[]>;
  /** Removes the documents of a group, all or those that match. */
  readonly remove: (
    kind: DocumentKind,
    group: string,
    matches?: (value: unknown) => boolean,
  ) => Promise<void>;
}

/** How long documents about a job are kept. */
export const KEEP_SECONDS = 14 * 86_400;
