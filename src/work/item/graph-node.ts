import type { WorkItem } from './work-item.ts';

/** An item in a graph, with its `status` if it has run. */
export interface GraphNode extends Pick<WorkItem, 'id' | 'agent_id' | 'dependencies'> {
  readonly status?: string | undefined;
}
