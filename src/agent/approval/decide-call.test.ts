import { describe, expect, it } from 'vitest';
import type { ApprovalRule } from './approval-rule.ts';
import { checkRule, decideCall } from './decide-call.ts';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

const rule = (
  tool: string,
  decision: ApprovalRule['decision'],
  args?: Record<string, string>,
): ApprovalRule => ({
  tool,
  decision,
  ...(args !== undefined && { arguments: args }),
});
const decide = (lists: ApprovalRule[][], tool: string, args = {}): string =>
  decideCall(lists, tool, args).decision;

describe('an approval rule', () => {
  it('decides for the tools that its name matches', () => {
    const rules = [[rule('fs__write_*', 'deny'), rule('*__secret', 'ask'), rule('a*b*c', 'deny')]];
    const tools = ['fs__write_file', 'fs__read', 'x__secret', 'abc', 'a-b-c', 'ac', 'abcd'];
    expect(tools.map((tool) => decide(rules, tool))).toEqual(
      'deny allow ask deny deny allow allow'.split(' '),
    );
  });

  it('decides by patterns on arguments; the first match of a list wins', () => {
    const rules = [
      [rule('w', 'allow', { path: '^/tmp/' }), rule('w', 'deny', { '*': 'passwd' }), rule('w', 'ask')],
    ];
    const calls = [{ path: '/tmp/a' }, { path: '/etc/passwd' }, { path: '/etc/hosts' }, {}, { path: 7 }];
    expect(calls.map((args) => decide(rules, 'w', args))).toEqual('allow deny ask ask ask'.split(' '));
  });

  it('of one source never loosens that of another', () => {
    expect(decide([[rule('w', 'ask')], [rule('*', 'allow')]], 'w')).toBe('ask');
    expect(decide([[rule('w', 'allow')], [rule('w', 'deny')], [rule('w', 'ask')]], 'w')).toBe('deny');
  });

  it('does not allow what is too long to be checked', () => {
    const path = `/tmp/${'x'.repeat(1_000_001)}`;
    expect(decide([[rule('w', 'allow', { path: '^/tmp/' }), rule('w', 'ask')]], 'w', { path })).toBe('ask');
    expect(decide([[rule('w', 'deny', { path: '^/etc/' })]], 'w', { path })).toBe('deny');
  });

  it('runs in linear time, and is refused with a pattern that cannot', () => {
    const start = cpuTimeMs();
    expect(decide([[rule('w', 'deny', { x: '(a+)+$' })]], 'w', { x: `${'a'.repeat(50_000)}b` })).toBe(
      'allow',
    );
    expect(cpuTimeMs() - start).toBeLessThan(3000);
    expect(() => checkRule(rule('w', 'deny', { x: '(?=a)' }))).toThrow('is not supported');
  });
});
