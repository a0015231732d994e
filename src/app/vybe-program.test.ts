import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKernelContext } from '../../test/fixtures/kernel-context.ts';
import { Fault } from '../base/fault.ts';
import type { System } from '../contract/system.ts';
import { vybeProgram, vybeCommandLine } from './vybe-program.ts';

let root = '';
let dispose: () => void;
let base: System;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-program-'));
  const context = createKernelContext();
  base = context.system;
  dispose = context.dispose;
});
afterEach(() => {
  rmSync(root, { recursive: true });
  dispose();
});

function program(path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

function link(path: string, to: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(to, file);
  return file;
}

/** A system with this executable and these folders on its PATH. */
function running(path: string, ...folders: string[]): System {
  return {
    ...base,
    env: { PATH: ['relative', ...folders.map((folder) => join(root, folder))].join(':') },
    executable: { ...base.executable, path, command: [path] },
  };
}

describe('the program that hooks call', () => {
  test('is the link on the PATH, not the file that an update moves', () => {
    const deed = program('lib/node_modules/deed-cli/dist/bin/deed');
    link('lib/node_modules/deed-cli/dist/bin/vybe', 'deed');
    const stable = link('bin/vybe', '../lib/node_modules/deed-cli/dist/bin/vybe');
    expect(vybeProgram(running(deed, 'bin'))).toEqual([stable]);
  });

  test('may be a hard link to the executable of a platform package', () => {
    const deed = program('platform/bin/deed');
    mkdirSync(join(root, 'package'));
    linkSync(deed, join(root, 'package/deed'));
    const stable = link('bin/vybe', '../package/deed');
    expect(vybeProgram(running(deed, 'bin'))).toEqual([stable]);
  });

  test('is not a temporary link of npx or a project if there is a permanent one', () => {
    const deed = program('store/deed');
    link('project/node_modules/.bin/vybe', deed);
    link('cache/_npx/1a2b/vybe', deed);
    const folders = ['project/node_modules/.bin', 'cache/_npx/1a2b'];
    const sibling = link('store/vybe', 'deed');
    expect(vybeProgram(running(deed, ...folders))).toEqual([sibling]);
    const stable = link('bin/vybe', deed);
    expect(vybeProgram(running(deed, ...folders, 'bin'))).toEqual([stable]);
  });

  test('is the one next to this executable if the PATH contains another installation', () => {
    program('other/vybe');
    const deed = program('own/deed');
    const sibling = link('own/vybe', 'deed');
    expect(vybeProgram(running(deed, 'other'))).toEqual([sibling]);
  });

  test('is a launcher on the PATH if there is none next to the executable', () => {
    const deed = program('platform/deed');
    const launcher = program('bin/vybe');
    expect(vybeProgram(running(deed, 'bin'))).toEqual([launcher]);
  });

  test('is reported as missing with the command that creates it', () => {
    const deed = program('only/deed');
    const command = (system: System): string => {
      try {
        return vybeProgram(system).join(' ');
      } catch (error) {
        return error instanceof Fault ? `${error.code} ${error.hint}` : '';
      }
    };
    expect(command(running(deed))).toBe(`E_CONFIG Create a link: ln -s ${deed} ${join(root, 'only/vybe')}`);
    mkdirSync(join(root, 'bin'));
    const elsewhere = running('/nonexistent/deed', 'bin');
    expect(command(elsewhere)).toBe(
      `E_CONFIG Create a link: ln -s /nonexistent/deed ${join(root, 'bin/vybe')}`,
    );
    expect(command(running('/nonexistent/deed'))).toBe(
      'E_CONFIG Create a link: sudo ln -s /nonexistent/deed /nonexistent/vybe',
    );
  });
});

test('the command line is the name if it is on the PATH, else the path', () => {
  const deed = program('own folder/deed');
  expect(vybeCommandLine(running(deed))).toBe('vybe');
  const sibling = link('own folder/vybe', 'deed');
  expect(vybeCommandLine(running(deed))).toBe(`'${sibling}'`);
  program('bin/vybe');
  expect(vybeCommandLine(running(deed, 'bin'))).toBe('vybe');
});
