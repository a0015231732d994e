import { ownMember } from '../../base/own-member.ts';
import { printable } from '../../base/text.ts';

/** Safe markup. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | readonly Html[];

/** Builds markup. Strings and numbers are escaped; only `Html` values are inserted unchanged. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces = strings.map(
    (text, index) => text + (index < parts.length ? renderPart(parts[index] ?? '') : ''),
  );
  return { html: pieces.join('') };
}

function renderPart(part: Part): string {
  if (typeof part === 'string') return escape(part);
  if (typeof part === 'number') return escape(String(part));
  if (Array.isArray(part)) return part.map((item: Html) => item.html).join('');
  return (part as Html).html;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  // Bidirectional control characters would let a name change how its line is displayed.
  const visible = printable(text).replaceAll(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
  return visible.replaceAll(/[&<>"']/gu, (character) => ownMember(ENTITIES, character) ?? '');
}
