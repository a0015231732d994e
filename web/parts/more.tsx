import type { JSX } from 'preact';

interface MoreProps {
  readonly count: number;
  /** The page that lists all of them. */
  readonly href: string;
}

/** The last row of a list that shows only its first entries. */
export function More({ count, href }: MoreProps): JSX.Element | null {
  if (count <= 0) return null;
  return (
    <li class="more">
      <a href={href}>and {count} more</a>
    </li>
  );
}
