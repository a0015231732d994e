import type { JSX } from 'preact';
import { inboxHref, type InboxItem } from '../base/use-inbox.ts';
import { Glyph } from './glyph.tsx';
import { Age } from './time.tsx';

interface InboxRowsProps {
  readonly items: readonly InboxItem[];
  readonly selected?: string | undefined;
}

/** What waits for a person, one row each. */
export function InboxRows({ items, selected }: InboxRowsProps): JSX.Element {
  return (
    <>
      {items.map((item) => (
        <li key={`${item.kind} ${item.id}`}>
          <a
            href={inboxHref(item)}
            class={item.id === selected ? 'row selected' : 'row'}
            aria-current={item.id === selected ? 'true' : undefined}
          >
            <Glyph state="waits" />
            <span class="row-title">{item.title}</span>
            <span class="row-side">
              <span class="hidden">Waits for you</span>
              <Age at={item.at} />
            </span>
            <span class="row-line muted">{item.line}</span>
          </a>
        </li>
      ))}
    </>
  );
}
