import { ownMember } from '../../base/own-member.ts';
import type { JsonObject } from '../../base/json.ts';
import { strictPattern } from '../tools/strict-pattern.ts';
import { DECISIONS, type ApprovalRule, type Decision } from './approval-rule.ts';

/** The decision on a call and the rule that made it. */
export interface RuledCall {
  readonly decision: Decision;
  readonly rule?: ApprovalRule;
}

const ALLOWED: RuledCall = { decision: 'allow' };

/**
 * Decides on a tool call. Each list comes from one source (a configuration file, the prompt file, the caller), and the strictest decision
 * of all lists applies, so that no source can loosen the rules of another. Without a matching rule a call is allowed.
 */
export function decideCall(
  lists: readonly (readonly ApprovalRule[])[],
  tool: string,
  args: JsonObject,
): RuledCall {
  return lists
    .map((rules) => rules.find((rule) => matches(rule, tool, args)))
    .flatMap((rule): RuledCall[] => (rule === undefined ? [] : [{ decision: rule.decision, rule }]))
    .reduce((strictest, ruled) => (rank(ruled) > rank(strictest) ? ruled : strictest), ALLOWED);
}

/** Throws an Error for a rule with an unsupported pattern. */
export function checkRule({ arguments: patterns = {} }: ApprovalRule): void {
  for (const pattern of Object.values(patterns)) strictPattern(pattern);
}

function rank({ decision }: RuledCall): number {
  return DECISIONS.indexOf(decision);
}

function matches(
  { tool: name, arguments: patterns = {}, decision }: ApprovalRule,
  tool: string,
  args: JsonObject,
): boolean {
  if (!isNamed(name, tool)) return false;
  return Object.entries(patterns).every(([argument, pattern]) => {
    const value = argument === '*' ? args : ownMember(args, argument);
    if (value === undefined) return false;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    // A value that is too long to be checked is not allowed, but asked about or refused.
    return strictPattern(pattern)(text) ?? decision !== 'allow';
  });
}

/** Compares names with `*` for any text, without a regular expression. */
export function isNamed(pattern: string, name: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return pattern === name;
  const end = parts.pop() ?? '';
  if (!name.startsWith(start) || !name.endsWith(end) || name.length < start.length + end.length) return false;
  let from = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, from);
    if (found < 0 || found + part.length > name.length - end.length) return false;
    from = found + part.length;
  }
  return true;
}
