import { options } from 'preact';

/** Control characters except tab and line feed. */
// eslint-disable-next-line no-control-regex -- control characters are the point
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu;

/**
 * Characters that a reader cannot see: they reorder text (bidirectional overrides), have no width, or are tags. Joiners are hidden only
 * next to ASCII: scripts such as Persian and many emoji need them.
 */
const HIDDEN =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|(?<=^|\p{ASCII})[\u200C\u200D]|[\u200C\u200D](?=\p{ASCII}|$)/gu;

/** Writes the characters that a reader cannot see as visible ones: stored text must not look like something else than it is. */
export function reveal(text: string): string {
  const visible = text.replace(CONTROLS, pictureOf);
  // Most texts are ASCII, and none of its other characters is hidden.
  return /[^\0-\x7f]/u.test(visible) ? visible.replace(HIDDEN, nameOf) : visible;
}

/** What a line of text may contain, but a name must not hide: line breaks, tabs, and spaces at the ends of its parts. */
const HIDDEN_IN_NAMES = /[\t\n]|^ | $|(?<=\/) | (?=\/)/gu;

/** The same for the name of a file. */
export function revealName(path: string): string {
  const visible = path.replace(HIDDEN_IN_NAMES, (found) =>
    found === ' ' ? SPACE_PICTURE : pictureOf(found),
  );
  return reveal(visible);
}

/** Reveals every text of the pages, whichever part shows it. */
export function startRevealing(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    // A text has no type, and itself as properties.
    const node = vnode as { readonly type: unknown; props: unknown };
    if (node.type === null && typeof node.props === 'string') node.props = reveal(node.props);
    before?.(vnode);
  };
}

const PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = '\u2421';
const SPACE_PICTURE = '\u2420';

/** Such as `␛` for an escape character. */
function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === DELETE ? DELETE_PICTURE : nameOf(character);
}

/** Such as `⟨U+202E⟩`. */
function nameOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
