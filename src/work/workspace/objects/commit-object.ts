/** A person or program in the header of a commit. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface CommitContent {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Identity;
  readonly atMs: number;
  readonly message: string;
}

/** Renders a commit object whose author is its committer too. */
export function renderCommitObject({ tree, parents, author, atMs, message }: CommitContent): Buffer {
  const person = `${cleanName(author.name)} <${cleanName(author.email)}> ${Math.floor(atMs / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${person}`,
    `committer ${person}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${message}`);
}

// eslint-disable-next-line no-control-regex -- git treats them as separators
const SEPARATORS_AT_ENDS = /^[\u0000-\u0020.,:;"\\']+|[\u0000-\u0020.,:;"\\']+$/gu;

/** What git leaves out of names: brackets and line breaks anywhere, other separators at both ends. */
function cleanName(name: string): string {
  return name.replaceAll(/[\n<>]/gu, '').replaceAll(SEPARATORS_AT_ENDS, '');
}

/** A commit object as it was read. */
export interface CommitObject {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The lines of author, committer and encoding, in Latin-1. */
  readonly kept: readonly string[];
  readonly message: string;
}

/** Parses a commit object. Signatures and other headers are left out. */
export function parseCommitObject(content: Buffer): CommitObject {
  const text = content.toString('latin1');
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end === -1 ? undefined : end).split('\n');
  const valuesOf = (name: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    kept: lines.filter((line) => /^(?:author|committer|encoding) /u.test(line)),
    message: end === -1 ? '' : text.slice(end + 2),
  };
}

/** Renders a commit again, on another parent and tree. */
export function renderMovedCommit(
  { kept, message }: CommitObject,
  { tree, parent }: { readonly tree: string; readonly parent: string },
): Buffer {
  const text = message.replace(/[\n ]+$/u, '');
  return Buffer.from([`tree ${tree}`, `parent ${parent}`, ...kept, '', text, ''].join('\n'), 'latin1');
}
