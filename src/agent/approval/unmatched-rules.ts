import { isPlainObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { validToolName } from '../tools/name-tools.ts';
import type { ApprovalRule } from './approval-rule.ts';
import { isNamed } from './decide-call.ts';

/** A rule that no call can match: the tool that it is meant for would be called without it. */
export interface UnmatchedRule {
  readonly rule: ApprovalRule;
  readonly problem: string;
  /** The rule may be for a tool of another agent, or for a tool that its server may get later. */
  readonly isPrecaution: boolean;
}

/** What the configuration tells about the names of tools before any server is started. */
export interface KnownNames {
  readonly servers: readonly string[];
  readonly restTools: readonly string[];
  /** Tools named `agent__<name>`. */
  readonly agentTools: readonly string[];
  /** Whether the rules are shared with other agents, which may have other tools. */
  readonly isShared: boolean;
}

const SEPARATOR = '__';
const MAX_LISTED = 20;

/** Finds rules with names that no tool can have. The tools of a server are not known yet. */
export function findMisnamedRules(
  rules: readonly ApprovalRule[],
  { servers, restTools, agentTools, isShared }: KnownNames,
): readonly UnmatchedRule[] {
  const rest = restTools.map((name) => `rest${SEPARATOR}${name}`);
  return rules.flatMap((rule) => {
    const { tool } = rule;
    const prefix = prefixOf(tool);
    if (prefix === undefined) return [];
    if (prefix === '') return [withoutPrefix(rule, [...rest, ...agentTools])];
    if (servers.some((name) => tool.startsWith(`${validToolName(name)}${SEPARATOR}`))) return [];
    const known = prefix === 'rest' ? rest : prefix === 'agent' ? agentTools : undefined;
    if (known?.some((name) => isNamed(tool, name)) === true) return [];
    const meant = known === undefined ? nearest(prefix, servers) : nearest(tool, known);
    // A shared rule may be for another agent, unless it is only misspelled.
    const isPrecaution = isShared && meant === undefined;
    if (known !== undefined) return [{ ...unmatched(rule, known), isPrecaution }];
    const problem = `names the unknown server ${prefix}; known: ${servers.join(', ') || 'none'}`;
    return [{ rule, problem: withSuggestion(problem, meant), isPrecaution }];
  });
}

function withoutPrefix(rule: ApprovalRule, names: readonly string[]): UnmatchedRule {
  const meant = names.find((name) => name.endsWith(`${SEPARATOR}${rule.tool}`));
  const problem = 'has no server; the names of tools are <server>__<tool>, rest__<name> and agent__<name>';
  return { rule, problem: withSuggestion(problem, meant), isPrecaution: false };
}

/**
 * Finds rules that match no tool of a session, or no argument of a tool. Rules for tools that the session does not use, or that are
 * withheld from it, are not included.
 */
export function findUnmatchedRules(
  rules: readonly ApprovalRule[],
  tools: readonly ToolDefinition[],
  withheld: readonly string[],
): readonly UnmatchedRule[] {
  if (tools.length === 0) return [];
  return rules.flatMap((rule) => {
    const named = tools.filter(({ name }) => isNamed(rule.tool, name));
    if (named.length > 0) return unknownArguments(rule, named);
    const isElsewhere = withheld.some((name) => isNamed(rule.tool, name)) || !isMeantFor(rule.tool, tools);
    const names = tools.map(({ name }) => name);
    return isElsewhere ? [] : [unmatched(rule, names)];
  });
}

/** Renders the problem of a rule as a sentence without its full stop. */
export function describeUnmatched({ rule, problem }: UnmatchedRule): string {
  return `the approval rule for ${rule.tool} (${rule.decision}) ${problem}`;
}

/** Returns the server part of a name: empty if there is none, undefined if it matches any server. */
function prefixOf(pattern: string): string | undefined {
  const at = pattern.indexOf(SEPARATOR);
  const prefix = at < 0 ? pattern : pattern.slice(0, at);
  if (prefix.includes('*')) return undefined;
  return at < 0 ? '' : prefix;
}

/** REST tools and sub-agents are checked with the configuration, which also knows those that are not used. */
function isMeantFor(pattern: string, tools: readonly ToolDefinition[]): boolean {
  const prefix = prefixOf(pattern);
  if (prefix === undefined || prefix === 'rest' || prefix === 'agent') return false;
  return prefix === '' || tools.some(({ name }) => name.startsWith(`${prefix}${SEPARATOR}`));
}

function unmatched(rule: ApprovalRule, names: readonly string[]): UnmatchedRule {
  const listed = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  const problem = `matches none of the tools: ${listed || 'there are none'}${more}`;
  const meant = names.find((name) => name.endsWith(`${SEPARATOR}${rule.tool}`)) ?? nearest(rule.tool, names);
  return { rule, problem: withSuggestion(problem, meant), isPrecaution: rule.tool.includes('*') };
}

function unknownArguments(rule: ApprovalRule, tools: readonly ToolDefinition[]): readonly UnmatchedRule[] {
  const declared = tools.map(({ inputSchema }) => declaredArguments(inputSchema));
  if (declared.includes(undefined)) return [];
  const known = [...new Set(declared.flatMap((names) => names ?? []))];
  const unknown = Object.keys(rule.arguments ?? {}).find((name) => name !== '*' && !known.includes(name));
  if (unknown === undefined) return [];
  const problem = `has a pattern for the argument ${unknown}, but the arguments are ${known.join(', ')}`;
  return [{ rule, problem: withSuggestion(problem, nearest(unknown, known)), isPrecaution: false }];
}

/** Returns the arguments that a schema declares; undefined if it declares none, or allows others on purpose. */
function declaredArguments({
  properties,
  additionalProperties,
  patternProperties,
}: ToolDefinition['inputSchema']): readonly string[] | undefined {
  const isOpen = (additionalProperties ?? false) !== false || patternProperties !== undefined;
  const names = isPlainObject(properties) ? Object.keys(properties) : [];
  return isOpen || names.length === 0 ? undefined : names;
}

function withSuggestion(problem: string, meant: string | undefined): string {
  return meant === undefined ? problem : `${problem}; did you mean ${meant}?`;
}
