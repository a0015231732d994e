import type { JSX } from 'preact';

/** The last row of a list that shows only its first entries. */
export function More({ count }: { readonly count: number }): JSX.Element | null {
  return count > 0 ? <li class="more muted">and {count} more</li> : null;
}
