import type { AgentPlan } from '../../agent/plan-agent.ts';
import type { WorkItem } from '../../work/item/work-item.ts';

/** Adds the workspace description to the prompts of an agent and its sub-agents; the root agent also gets the item's limits and checks. */
export function framePlan(plan: AgentPlan, item: WorkItem, root: string): AgentPlan {
  const framed = addToAll(plan, renderWorkspace(root));
  return withPrompt(framed, renderTask(item));
}

function addToAll(plan: AgentPlan, text: string): AgentPlan {
  const { children } = plan;
  return { ...withPrompt(plan, text), children: children.map((child) => addToAll(child, text)) };
}

/** Appends text to a system prompt and disables batches: their parallel calls and timings would make a replay differ. */
function withPrompt(plan: AgentPlan, text: string): AgentPlan {
  const systemPrompt = `${plan.config.systemPrompt.trimEnd()}\n\n${text}`;
  return { ...plan, config: { ...plan.config, systemPrompt, batch: false } };
}

function renderWorkspace(root: string): string {
  return `# Workspace
You work in a private copy of the git tree ${root}. Use only the workspace tools: they read, search, change and run what is in this tree,
and nothing outside it. Paths are relative to its root. No user is available to answer questions.`;
}

function renderTask({ id, constraints, output_files, test_command }: WorkItem): string {
  const { max_files, max_tool_ops, timeout_ms } = constraints;
  const lines = [
    '# Your work item',
    `This is the work item "${id}"; the user message describes the task. Your changes are applied to the real tree only if all of these hold:`,
    `- You finish with a report, within at most ${max_tool_ops} calls of workspace tools and ${seconds(timeout_ms)}; beyond either limit you are stopped and all changes are undone.`,
    `- At most ${max_files} ${max_files === 1 ? 'file differs' : 'files differ'} at the end. Remove files that you no longer need.`,
    ...(output_files === undefined || output_files.length === 0
      ? []
      : [`- These files exist at the end: ${output_files.join(', ')}.`]),
    ...(test_command === undefined ? [] : [`- This command succeeds: ${test_command}`]),
    'Do what the task requires and no more. If it is impossible, explain why in the report instead of leaving partial changes.',
  ];
  return lines.join('\n');
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.floor(ms / 1000)} seconds`;
}
