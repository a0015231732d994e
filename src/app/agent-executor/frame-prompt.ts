import type { AgentPlan } from '../../agent/plan-agent.ts';
import type { WorkItem } from '../../work/item/work-item.ts';

/** Tells an agent, and those it may call, where they work; the first one also within which limits, and how its work is judged. */
export function framePlan(plan: AgentPlan, item: WorkItem, root: string): AgentPlan {
  const framed = frameAll(plan, renderPlace(root));
  return withPrompt(framed, renderTask(item));
}

function frameAll(plan: AgentPlan, text: string): AgentPlan {
  const { children } = plan;
  return { ...withPrompt(plan, text), children: children.map((child) => frameAll(child, text)) };
}

/** Calls of a batch run side by side and are told with their times; one after the other they are the same every time. */
function withPrompt(plan: AgentPlan, text: string): AgentPlan {
  const systemPrompt = `${plan.config.systemPrompt.trimEnd()}\n\n${text}`;
  return { ...plan, config: { ...plan.config, systemPrompt, batch: false } };
}

function renderPlace(root: string): string {
  return `# Where you work
You work in a private copy of the git tree ${root}. The workspace tools are your only hands: they read, search, change and run what is in
this tree, and nothing outside of it. Paths are relative to its root. Nobody answers questions while you work.`;
}

function renderTask({ id, constraints, output_files, test_command }: WorkItem): string {
  const { max_files, max_tool_ops, timeout_ms } = constraints;
  const lines = [
    '# Your work item',
    `This is the work item "${id}"; the user's message says what to do. Your changes reach the real tree only if all of this holds:`,
    `- You finish with a report, in at most ${max_tool_ops} calls of workspace tools and ${seconds(timeout_ms)}; beyond either you are stopped and everything is undone.`,
    `- At most ${max_files} ${max_files === 1 ? 'file differs' : 'files differ'} in the end. Remove what you no longer need.`,
    ...(output_files === undefined || output_files.length === 0
      ? []
      : [`- These files are there in the end: ${output_files.join(', ')}.`]),
    ...(test_command === undefined ? [] : [`- This command succeeds: ${test_command}`]),
    'Do what is asked and no more. If it cannot be done, say why in the report instead of leaving half of it.',
  ];
  return lines.join('\n');
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.floor(ms / 1000)} seconds`;
}
