/** Parses `sha256sum` output into hashes by file name; other lines are ignored. */
export function parseChecksums(text: string): ReadonlyMap<string, string> {
  const checksums = new Map<string, string>();
  for (const line of text.split(/\r?\n/u)) {
    const match = /^([0-9a-f]{64}) [ *](\S+)$/u.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined) checksums.set(match[2], match[1]);
  }
  return checksums;
}
