/**
 * The project that the demo works on: three small text tools for the shell, so that nothing has to be installed for it. What is
 * there at first, what the agents are asked for, and what the recorded model answers.
 */
export interface DemoItem {
  readonly id: string;
  readonly agent: string;
  readonly asks: string;
  readonly maxFiles: number;
  readonly test?: string;
  /** What the recorded model writes, by path. */
  readonly writes: Readonly<Record<string, string>>;
  /** What it runs then. */
  readonly runs: string;
  readonly reports: string;
}

/** The prompt file of all of them, in the repository like any other file. */
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
  'src/trim.sh': "#!/bin/sh\n# Takes the spaces off both ends.\nsed 's/^ *//; s/ *$//'\n",
  'test/trim.sh': '[ "$(echo "  a b " | sh src/trim.sh)" = "a b" ]\n',
};

function tool(id: string, agent: string, asks: string, program: string, test: string): DemoItem {
  return {
    id,
    agent,
    asks: `${asks} Write src/${id}.sh, a filter, and its test, test/${id}.sh; look at those of trim.`,
    maxFiles: 3,
    test: `sh check.sh ${id}`,
    writes: { [`src/${id}.sh`]: `#!/bin/sh\n${program}\n`, [`test/${id}.sh`]: `${test}\n` },
    runs: `sh check.sh ${id}`,
    reports: `src/${id}.sh is written, and its test passes.`,
  };
}

/** Three that do not need each other. */
export const TOOLS: readonly DemoItem[] = [
  tool(
    'slug',
    'agent-1',
    'Turn a title into a slug.',
    "tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]' '-' | sed 's/^-*//; s/-*$//'",
    '[ "$(printf \'Hello, System!\' | sh src/slug.sh)" = hello-system ]',
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

/** Checks what the three have come to. */
export const RECONCILER_ITEM = {
  id: 'together',
  agent_id: 'agent-0',
  description: 'Check that all tools work together.',
  dependencies: TOOLS.map(({ id }) => id),
  test_command: 'sh check.sh',
};

/** Does far more than it may. */
export const GREEDY: DemoItem = {
  id: 'licence',
  agent: 'agent-4',
  asks: 'Put the line "# MIT" into src/trim.sh.',
  maxFiles: 3,
  writes: {},
  reports: 'Every script has its licence now, not only the one that was asked for.',
  runs: 'for file in check.sh src/*.sh test/*.sh; do echo "# MIT" >> "$file"; done',
};
