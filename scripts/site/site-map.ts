/** The sections of the site with their pages, paths below docs/ without the extension; every page of docs/ is in one of them. */
export const SITE_MAP: Readonly<Record<string, readonly string[]>> = {
  Start: ['setup', 'install', 'quickstart/*'],
  'How to': [
    'how-to/*',
    'branches',
    'coding-agents',
    'github-action',
    'web',
    'receipts',
    'shared-store',
    'fleet',
    'mcp-server',
    'mcp-inspector',
  ],
  Moving: ['moving-from-vybe', 'moving-from-beads', 'moving-from-worktrees', 'upgrading'],
  Reference: [
    'reference/*',
    'work-items',
    'agent-runtime',
    'agent-cookbook',
    'agents-at-work',
    'libraries',
    'schema-libraries',
    'build-a-cli',
  ],
  Explanation: [
    'architecture',
    'contracts/*',
    'security',
    'threat-model',
    'red-team',
    'triage',
    'triage-evaluation',
    'triage-situations',
  ],
  Decisions: ['decisions/*'],
};

/** The paths of a section, with patterns resolved; pages that do not exist are an error. */
export function pagesOf(patterns: readonly string[], all: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern) => {
    const found = pattern.endsWith('/*')
      ? all.filter((page) => page.startsWith(pattern.slice(0, -1)))
      : all.filter((page) => page === pattern);
    if (found.length === 0) throw new Error(`docs/ has no page ${pattern}`);
    return found;
  });
}
