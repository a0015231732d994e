import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { bashScript, zshScript } from './bash-script.ts';
import { listChoices, type Choices } from './choices.ts';
import { fishScript } from './fish-script.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export default defineRead({
  path: 'completion',
  summary: 'Print a completion script for a shell',
  description: 'Prints a completion script; load it with: eval "$(<program> completion bash --format raw)"',
  params: { shell: described(v.picklist(['bash', 'zsh', 'fish']), 'The shell') },
  positionals: ['shell'],
  output: v.object({ shell: v.picklist(['bash', 'zsh', 'fish']), script: v.string() }),
  examples: ['completion bash --format raw', 'completion zsh --format raw', 'completion fish --format raw'],
  selfDescription: true,
  run: async ({ shell }, { tool, table }) => {
    const choices = listChoices(await table.loadAll());
    return { shell, script: SCRIPTS[shell](tool.name, choices) };
  },
  renderText: ({ script }) => script,
  renderRaw: ({ script }) => script,
});

const SCRIPTS: Readonly<Record<Shell, (tool: string, choices: Choices) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
