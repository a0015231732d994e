/**
 * Serializes a JSON value as RFC 8785 (JSON Canonicalization Scheme): members sorted by their UTF-16 code units, no whitespace, numbers
 * and strings as ECMAScript writes them. Contract: throws for values that are not JSON, and for text with a lone surrogate, which the RFC
 * does not allow. Members that are undefined are left out.
 */
export function renderCanonical(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return JSON.stringify(value);
    throw new TypeError(`${value} is not a JSON number`);
  }
  if (typeof value === 'string') {
    if (value.isWellFormed()) return JSON.stringify(value);
    throw new TypeError('the text has a lone surrogate');
  }
  if (Array.isArray(value)) return `[${value.map(renderCanonical).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is not JSON`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // By code units, which is what the comparison of strings does; the order of members of an object puts integers first.
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${renderCanonical(name)}:${renderCanonical(member)}`).join(',')}}`;
}

/** Replaces lone surrogates in all texts of a JSON value, so that it has a canonical form. */
export function toWellFormed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => {
    if (typeof member === 'string') return member.toWellFormed();
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const names = Object.keys(member);
    if (names.every((name) => name.isWellFormed())) return member;
    return Object.fromEntries(
      Object.entries(member).map(([name, inner]) => [name.toWellFormed(), inner as unknown]),
    );
  }) as T;
}
