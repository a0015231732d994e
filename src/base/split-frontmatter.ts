/** The line before and after frontmatter. */
export const FENCE = /^---[ \t]*\r?$/u;

/** Splits a text into the YAML between two `---` lines at its start, if there is any, and the rest. */
export function splitFrontmatter(text: string): { readonly yaml: string | undefined; readonly body: string } {
  const lines = text.replace(/^\uFEFF/u, '').split('\n');
  const end = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && FENCE.test(line)) : -1;
  if (end < 0) return { yaml: undefined, body: text };
  // The parser takes a carriage return at the end of the text for a part of the last value.
  const yaml = lines.slice(1, end).map((line) => line.replace(/\r$/u, ''));
  return { yaml: yaml.join('\n'), body: lines.slice(end + 1).join('\n') };
}
