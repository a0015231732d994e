const names = new Map<string, string>();
/** Each connection keeps what it has prepared. */
const MAX_NAMES = 500;

/** The name under which each connection prepares a statement, so that the server parses and plans it once; none if there are too many. */
export function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES) return known;
  const name = `deed_${names.size}`;
  names.set(text, name);
  return name;
}
