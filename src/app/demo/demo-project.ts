/**
 * The project of the demo: three small shell tools, so that nothing has to be installed. It defines the initial files, the items and
 * the responses of the recorded model.
 */
export interface DemoItem {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly maxFiles: number;
  readonly test?: string;
  /** The files that the recorded model writes, by path. */
  readonly writes: Readonly<Record<string, string>>;
  /** The command that it runs then. */
  readonly runs: string;
  readonly reports: string;
}

/** The prompt file of all agents, in the repository. */
export const PROMPT_FILE = 'agents/toolsmith.ai';

const PROMPT = `#!/usr/bin/env ai-agent
---
description: Writes small tools for the shell
maxCostUsd: 0.25
---
You write small, portable tools for the shell. Change what you are asked to change and nothing else.
Run the test before you report, and report in one sentence.
`;

const CHECK = `#!/bin/sh
# Runs the test of one tool, or of all.
pass=0 fail=0
for test in test/\${1:-*}.sh; do
  if sh "$test"; then pass=$((pass + 1)); else fail=$((fail + 1)); echo "failed: $test"; fi
done
echo "# pass $pass"
echo "# fail $fail"
[ "$fail" -eq 0 ]
`;

/** The first commit. */
export const FIRST_FILES: Readonly<Record<string, string>> = {
  'README.md': '# words\n\nSmall text tools for the shell. `sh check.sh` runs their tests.\n',
  [PROMPT_FILE]: PROMPT,
  'check.sh': CHECK,
  'src/trim.sh': "#!/bin/sh\n# Removes leading and trailing spaces.\nsed 's/^ *//; s/ *$//'\n",
  'test/trim.sh': '[ "$(echo "  a b " | sh src/trim.sh)" = "a b" ]\n',
};

function tool(id: string, agent: string, prompt: string, program: string, test: string): DemoItem {
  return {
    id,
    agent,
    prompt: `${prompt} Write src/${id}.sh, a filter, and its test, test/${id}.sh; use those of trim as examples.`,
    maxFiles: 3,
    test: `sh check.sh ${id}`,
    writes: { [`src/${id}.sh`]: `#!/bin/sh\n${program}\n`, [`test/${id}.sh`]: `${test}\n` },
    runs: `sh check.sh ${id}`,
    reports: `src/${id}.sh is written, and its test passes.`,
  };
}

/** The programs that the tools call. */
export const TOOL_PROGRAMS = ['sed', 'tr', 'wc', 'awk'];

/** Three independent items. */
export const TOOLS: readonly DemoItem[] = [
  tool(
    'slug',
    'agent-1',
    'Turn a title into a slug.',
    "tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]' '-' | sed 's/^-*//; s/-*$//'",
    '[ "$(printf \'Hello, Reader!\' | sh src/slug.sh)" = hello-reader ]',
  ),
  tool(
    'count',
    'agent-2',
    'Count the words of a text.',
    "wc -w | tr -d ' '",
    '[ "$(echo one two three | sh src/count.sh)" = 3 ]',
  ),
  tool(
    'initials',
    'agent-3',
    'Give the initials of a name.',
    `awk '{ for (i = 1; i <= NF; i++) printf "%s", toupper(substr($i, 1, 1)); print "" }'`,
    '[ "$(echo ada lovelace | sh src/initials.sh)" = AL ]',
  ),
];

/** Checks the merged result. */
export const RECONCILER_ITEM = {
  id: 'together',
  agent_id: 'agent-0',
  description: 'Check that all tools work together.',
  dependencies: TOOLS.map(({ id }) => id),
  test_command: 'sh check.sh',
};

/** Exceeds its limit on files. */
export const OVER_LIMIT: DemoItem = {
  id: 'licence',
  agent: 'agent-4',
  prompt: 'Put the line "# MIT" into src/trim.sh.',
  maxFiles: 3,
  writes: {},
  reports: 'Added the licence to every script.',
  runs: 'for file in check.sh src/*.sh test/*.sh; do echo "# MIT" >> "$file"; done',
};
