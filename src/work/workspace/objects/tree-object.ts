/** An entry of a tree object: the mode as git writes it, and the id of the object. */
export interface ObjectEntry {
  readonly mode: string;
  readonly id: string;
}

export const FOLDER_MODE = '40000';
export const SUBMODULE_MODE = '160000';

/** Parses a tree object. Names are in Latin-1, one character for each byte, because git allows any bytes in them. */
export function parseTreeObject(content: Buffer, idLength: number): Map<string, ObjectEntry> {
  const entries = new Map<string, ObjectEntry>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const next = end + 1 + idLength / 2;
    const id = content.toString('hex', end + 1, next);
    entries.set(content.toString('latin1', space + 1, end), {
      mode: content.toString('latin1', at, space),
      id,
    });
    at = next;
  }
  return entries;
}

/** Renders a tree object, in the order of git: folders as if their names ended with a slash. */
export function renderTreeObject(entries: ReadonlyMap<string, ObjectEntry>): Buffer {
  const sorted = [...entries]
    .map(([name, entry]) => ({ ...entry, name, key: entry.mode === FOLDER_MODE ? `${name}/` : name }))
    .toSorted((left, right) => (left.key < right.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]),
  );
}
