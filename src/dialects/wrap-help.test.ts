import { describe, expect, it } from 'vitest';
import { wrapHelp } from './wrap-help.ts';

const HELP = `deed task create [flags]

This is a write: run it with --dry-run first, then with --confirm and the token from the dry run.

Flags
  --title <string>  The title, in one line, as short as people would write it in a list (required)
  --state <a-very-long-name|another-very-long-name|one-more>  Only these

Examples
  deed task create --title "Write the parser" --agent claude-app --request-id r1 --dry-run
`;

describe('help', () => {
  it('is 80 columns wide without a terminal, except for examples', () => {
    expect(wrapHelp(HELP, Number.POSITIVE_INFINITY)).toBe(`deed task create [flags]

This is a write: run it with --dry-run first, then with --confirm and the token
from the dry run.

Flags
  --title <string>  The title, in one line, as short as people would write it in
                    a list (required)
  --state <a-very-long-name|another-very-long-name|one-more>  Only these

Examples
  deed task create --title "Write the parser" --agent claude-app --request-id r1 --dry-run
`);
  });

  it('has the width of the terminal', () => {
    expect(wrapHelp(HELP, 120)).toBe(HELP);
    const narrow = wrapHelp(HELP, 50);
    expect(narrow).toContain('one-more>\n      Only these');
    const lines = narrow.slice(0, narrow.indexOf('Examples')).split('\n');
    expect(lines.filter((line) => line.length > 50)).toEqual([
      '  --state <a-very-long-name|another-very-long-name|one-more>',
    ]);
  });
});
