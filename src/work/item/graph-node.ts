import type { WorkItem } from './work-item.ts';

/** An item as a graph shows it; `status` where it has run. */
export interface GraphNode extends Pick<WorkItem, 'id' | 'agent_id' | 'dependencies'> {
  readonly status?: string | undefined;
}
