/** Values by key, of which only single ones are read. */
export type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get'>;
