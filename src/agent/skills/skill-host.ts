import { errorMessage } from '../../base/error-message.ts';
import type { ToolDefinition, ToolHost } from '../tool-host.ts';
import { readSkillFile, type Skill } from './read-skills.ts';

const LOAD_SKILL = 'agent__load_skill';

/** Creates the tool that loads a skill when the model needs it; its description lists them. */
export function createSkillHost(skills: readonly Skill[]): ToolHost {
  const definition: ToolDefinition = {
    name: LOAD_SKILL,
    description: [
      'Loads the instructions of a skill, or another file that they name. Load a skill before you do work that it describes:',
      ...skills.map(({ name, description }) => `- ${name}: ${description}`),
    ].join('\n'),
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: skills.map(({ name }) => name) },
        file: { type: 'string', description: 'A file of the skill; its instructions when absent' },
      },
      required: ['name'],
    },
    origin: { kind: 'internal', server: 'agent' },
    repeatable: true,
  };
  return {
    name: 'skills',
    start: async () => {},
    listTools: () => [definition],
    call: async (_name, { name, file }) => {
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) return { ok: false, reason: `unknown skill ${JSON.stringify(name)}` };
      try {
        return { ok: true, text: readSkillFile(skill, typeof file === 'string' ? file : undefined) };
      } catch (error) {
        return { ok: false, reason: errorMessage(error) };
      }
    },
    close: async () => {},
  };
}
