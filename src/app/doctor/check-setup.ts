import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { findHosts } from '../setup/host-parts.ts';
import { PART_NAMES, type PartName } from '../setup/setup-part.ts';
import { readSetupStatus } from '../setup/setup-status.ts';

const NAMES: Readonly<Record<PartName, string>> = {
  mcp: 'MCP server',
  hooks: 'hooks',
  skill: 'Skill',
  instructions: 'paragraph in the instructions',
};

/** Checks that the coding agents of this account have the parts that setup adds. */
export const checkSetup: Checker = (context) => {
  const found = findHosts(context.system);
  if (found.length === 0) return pass('setup', 'No coding agent was found for this account.');
  const hosts = readSetupStatus({ hosts: found, parts: PART_NAMES }, context);
  const missing = hosts.filter(({ ready }) => !ready);
  if (missing.length === 0) return pass('setup', `Set up: ${hosts.map(({ name }) => name).join(', ')}.`);
  const shown = missing.map(({ name, parts }) => {
    const without = parts.filter(({ status }) => status === 'missing').map(({ part }) => NAMES[part]);
    const notes = new Set(parts.flatMap(({ note, status }) => (status === 'missing' && note ? [note] : [])));
    return [`${name} is missing: ${without.join(', ')}.`, ...notes].join(' ');
  });
  return warn('setup', shown.join(' '), `${context.tool.name} setup --dry-run`);
};
