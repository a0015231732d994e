/** Runs a call of pg-boss; its errors become faults. */
export type PgBossCall = <T>(work: () => Promise<T>) => Promise<T>;
