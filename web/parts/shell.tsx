import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatClock } from '../base/format.ts';
import { isLive, staleSince } from '../base/live.ts';
import { open, path } from '../base/router.ts';
import { endSession, session } from '../base/session.ts';
import { nextTheme, theme } from '../base/theme.ts';
import { useKeys } from '../base/use-keys.ts';
import { Announcement } from './announcement.tsx';
import { Dialog } from './dialog.tsx';

const LINKS = [
  { href: '/', label: 'Now', key: 'g n' },
  { href: '/inbox', label: 'Inbox', key: 'g i' },
  { href: '/jobs', label: 'Jobs', key: 'g j' },
  { href: '/tasks', label: 'Tasks', key: 'g t' },
  { href: '/sessions', label: 'Sessions', key: 'g s' },
  { href: '/journal', label: 'Journal', key: 'g l' },
  { href: '/processes', label: 'Processes', key: 'g p' },
  { href: '/trust', label: 'Trust', key: 'g u' },
];

const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ...LINKS.map(({ key, label }) => [key, label] as const),
  ['j / k', 'Next / previous in a list'],
  ['h / l', 'Column to the left / right'],
  ['/', 'Search on this page'],
  ['n', 'New task'],
  ['m', 'Move the task'],
  ['a', 'Approve the run, or allow the tool call'],
  ['r', 'Reject the run, or deny the tool call'],
  ['c', 'Send the run back with a comment'],
  ['u', 'Roll the run back'],
  ['Enter', 'Confirm what the dry run shows'],
  ['Esc', 'Cancel'],
  ['?', 'Show these keys'],
];

/** The frame of every page: bar, links, connection, theme. */
export function Shell({
  waiting,
  children,
}: {
  readonly waiting: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [showsKeys, setShowsKeys] = useState(false);
  useKeys({
    ...Object.fromEntries(LINKS.map(({ href, key }) => [key, () => open(href)])),
    '?': () => setShowsKeys(true),
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <a class="name" href="/">
          deed
        </a>
        <PageLinks waiting={waiting} />
        <span class="spacer" />
        <span class={isLive.value ? 'live' : 'live off'} role="status">
          {isLive.value ? 'Live' : 'Offline'}
        </span>
        <span class="person muted">
          {session.value?.user}@{session.value?.host}
          {session.value?.read_only === true && ' · read-only'}
        </span>
        <button type="button" class="small" onClick={() => void endSession()}>
          Sign out
        </button>
        <button type="button" class="icon" aria-label="Keyboard shortcuts" onClick={() => setShowsKeys(true)}>
          ?
        </button>
        <button
          type="button"
          class="icon"
          aria-label={`Theme: ${theme.value}`}
          title={`Theme: ${theme.value}`}
          onClick={nextTheme}
        >
          <span aria-hidden="true">{{ auto: '◐', light: '○', dark: '●' }[theme.value]}</span>
        </button>
      </header>
      <StaleNotice />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
      <Announcement />
    </>
  );
}

function PageLinks({ waiting }: { readonly waiting: number }): JSX.Element {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the links are wider than the screen.
    links.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path.value, waiting]);
  return (
    <nav aria-label="Pages" ref={links}>
      {LINKS.map(({ href, label }) => (
        <a key={href} href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
          {label}
          {href === '/inbox' && waiting > 0 && (
            <span class="bubble number" aria-label={`${waiting} waiting`}>
              {waiting}
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}

/** Shows that the page may be outdated, while no changes arrive from the server. */
function StaleNotice(): JSX.Element | null {
  if (staleSince.value === undefined) return null;
  const at = formatClock(new Date(staleSince.value).toISOString());
  return (
    <p class="stale" role="alert">
      The server does not answer. This is what was known at {at}; the page continues when the server is back.
    </p>
  );
}

function isCurrent(href: string): boolean {
  return href === '/' ? path.value === '/' : path.value.startsWith(href);
}

function KeysDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
