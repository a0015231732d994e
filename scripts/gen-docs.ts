/**
 * Generates the pages of docs/reference, the list of commands of the Skill, the JSON Schemas of files, the manual page and completions, the manifests of
 * plugins, and the types of the web pages. With --check it writes nothing and fails when a page on disk
 * is not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './build-constants.ts';
import { agentFilesPage } from './pages/agent-files-page.ts';
import { configFileSchema, promptFileSchema } from './pages/agent-schemas.ts';
import { commandList, commandsPage } from './pages/commands-page.ts';
import { configurationPage } from './pages/configuration-page.ts';
import { errorsPage } from './pages/errors-page.ts';
import { pluginFiles } from './pages/plugin-files.ts';
import { shellFiles } from './pages/shell-files.ts';
import { webCommandsPage } from './pages/web-commands-page.ts';
import { planSchema, workAgentsSchema } from './pages/work-schemas.ts';

const pages: Readonly<Record<string, string>> = {
  'docs/reference/agent-files.md': agentFilesPage(),
  'docs/reference/commands.md': await commandsPage(),
  'docs/reference/configuration.md': configurationPage(),
  'docs/reference/exit-codes-and-errors.md': errorsPage(),
  'schemas/ai-agent.schema.json': json(configFileSchema()),
  'schemas/prompt-file.schema.json': json(promptFileSchema()),
  'schemas/plan.schema.json': json(planSchema()),
  'schemas/work-agents.schema.json': json(workAgentsSchema()),
  'skills/deed/commands.md': await commandList(),
  'web/base/commands.ts': await webCommandsPage(),
  ...(await shellFiles(readVersion())),
  ...Object.fromEntries(
    Object.entries(pluginFiles(readVersion())).map(([path, value]) => [path, json(value)]),
  ),
};

const check = process.argv.includes('--check');
for (const [path, text] of Object.entries(pages)) {
  const file = join(ROOT, path);
  if (!check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not current. Run: npm run generate`);
    process.exitCode = 1;
  }
}

function readVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
