import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { findProgram } from '../../system/find-program.ts';
import type { AgentConfig } from './agent-config.ts';
import { claudeProgram, codexProgram } from './agent-programs.ts';

/** The program of an agent as its configuration names it; undefined for a built-in agent. */
export function programName(agent: AgentConfig): string | undefined {
  if (agent.kind === 'builtin') return undefined;
  return argvOf(agent)[0];
}

/** Finds a program; a path relative to the tree is returned as it is, because a run may create the program. */
export function locateProgram(name: string, searchPath: string): string | undefined {
  if (name.includes('/') && !isAbsolute(name)) return name;
  return isAbsolute(name)
    ? findProgram(basename(name), name.slice(0, name.lastIndexOf('/')) || '/')
    : findProgram(name, searchPath);
}

/** Lists the files that the start of an agent needs, as they are called: its program, the program that `env` starts, and the interpreters of scripts. */
export function listProgramFiles(agent: AgentConfig, searchPath: string): readonly string[] {
  if (agent.kind === 'builtin') return [];
  const files: string[] = [];
  let words = argvOf(agent);
  while (words.length > 0 && files.length < MAX_STEPS) {
    const path = locateProgram(words[0] ?? '', searchPath);
    if (path === undefined || !isAbsolute(path)) break;
    files.push(path);
    words = basename(path) === 'env' ? behindEnv(words) : readInterpreter(path);
  }
  return files;
}

/** A script, its interpreter and what `env` starts; more steps are not usual. */
const MAX_STEPS = 5;
const SHEBANG_BYTES = 256;

function argvOf(agent: Exclude<AgentConfig, { kind: 'builtin' }>): readonly string[] {
  if (agent.kind === 'command') return agent.argv;
  const program = agent.kind === 'claude' ? claudeProgram(agent) : codexProgram(agent);
  return program.argv({ sandboxed: true }) ?? [];
}

/** The command after the flags and variables of `env`. */
function behindEnv([, ...words]: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !word.startsWith('-') && !word.includes('='));
  return start === -1 ? [] : words.slice(start);
}

/** The words of a script's first line after `#!`; none for another program. */
function readInterpreter(path: string): readonly string[] {
  try {
    const descriptor = openSync(realpathSync(path), 'r');
    try {
      const start = Buffer.alloc(SHEBANG_BYTES);
      const length = readSync(descriptor, start);
      const [line = ''] = start.toString('utf8', 0, length).split('\n');
      return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/u) : [];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A program that can be executed but not read.
    return [];
  }
}
