import type { ComponentChildren, JSX } from 'preact';
import { CommandLine } from './command-line.tsx';

interface PanelProps {
  readonly title: string;
  readonly count?: number | undefined;
  /** The command that shows the same. */
  readonly command?: string | undefined;
  /** Shown to the right of the title instead. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A titled region of a page. */
export function Panel({ title, count, command, aside, class: name, children }: PanelProps): JSX.Element {
  const id = `panel-${title.toLowerCase().replaceAll(/\W+/gu, '-')}`;
  return (
    <section class={name === undefined ? 'panel' : `panel ${name}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {count !== undefined && <span class="count number">{count}</span>}
        <span class="spacer" />
        {aside}
        {command !== undefined && <CommandLine line={command} />}
      </header>
      {children}
    </section>
  );
}
