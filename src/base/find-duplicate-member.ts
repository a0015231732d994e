/**
 * Finds a name that an object in JSON text has twice; `JSON.parse` silently takes the last value. It only looks at the outermost object.
 * Contract: the text is valid JSON of an object.
 */
export function findDuplicateMember(json: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  let isName = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (character === '"') {
      const end = endOfString(json, at);
      if (isName) {
        const name = JSON.parse(json.slice(at, end + 1)) as string;
        if (seen.has(name)) return name;
        seen.add(name);
        isName = false;
      }
      at = end;
    } else if (depth === 1 && (character === ',' || character === '{')) isName = true;
  }
  return undefined;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
