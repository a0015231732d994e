import { describe, expect, it } from 'vitest';
import { startLineProgram } from './line-program.ts';

describe('a program with a line protocol', () => {
  const start = async (script: string) => {
    const lines: string[] = [];
    const ended = Promise.withResolvers<string>();
    const program = await startLineProgram([process.execPath, '-e', script], {
      cwd: process.cwd(),
      env: { PATH: process.env.PATH ?? '' },
      maxLineBytes: 1000,
      onLine: (line) => lines.push(line),
      onEnd: ended.resolve,
    });
    return { program, lines, ended: ended.promise };
  };

  it('receives and sends lines, and its exit is reported with its stderr', async () => {
    const { program, lines, ended } = await start(
      "process.stdin.once('data', (text) => { console.log('got ' + text); console.error('ouch'); process.exitCode = 4; process.stdin.destroy(); })",
    );
    await program.write('hello');
    expect(await ended).toBe('it exited with code 4');
    await program.end();
    expect([lines[0], program.stderrTail()]).toEqual(['got hello', 'ouch']);
    await expect(program.write('again')).rejects.toThrow('has exited');
  });

  it('is killed when it ignores SIGTERM', async () => {
    const { program, ended } = await start(
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')",
    );
    await program.end(100);
    expect(await ended).toBe('it was closed');
  });
});
