/** Runs a call of pg-boss; its errors become faults. */
export type Call = <T>(work: () => Promise<T>) => Promise<T>;
