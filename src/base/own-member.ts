/** Returns a member by a name from outside. Plain indexing also finds what every object inherits, such as `constructor`. */
export function ownMember<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
