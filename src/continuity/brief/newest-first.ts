type Dated = { readonly id: number; readonly created_at: string };

/** Sorts events by their time: those that were imported from another machine have later ids although they may be older. */
export function newestFirst<T extends Dated>(events: readonly T[]): T[] {
  return events.toSorted((left, right) => (isAfter(left, right) ? -1 : 1));
}

export function isAfter(left: Dated, right: Dated): boolean {
  return left.created_at === right.created_at ? left.id > right.id : left.created_at > right.created_at;
}
