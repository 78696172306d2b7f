import type { FlowSnapshot, JobRunReply } from '../../client';
import { formatCount } from '../format';
import type { ShownNode } from '../graph/flow-graph';
import { activeStates, type Tone } from '../parts/state';
import { texts } from '../texts';

/** An operator in the plan of a run; an input may be a branch, as in `name.branch`. */
export interface PlannedOperator {
  name: string;
  type: string;
  inputs: string[];
}

/** The operators of a run in execution order. */
export function listPlannedOperators({ plan }: FlowSnapshot): PlannedOperator[] {
  const { sources, stages } = plan as unknown as {
    sources: PlannedOperator[];
    stages: { operators: PlannedOperator[] }[];
  };
  return [...sources, ...stages.flatMap(({ operators }) => operators)];
}

/** The operators as nodes with their current counts. */
export function listNodes(snapshot: FlowSnapshot, run: JobRunReply): ShownNode[] {
  const isActive = activeStates.includes(run.status);
  const hasBegun = run.operators.some(({ name, documents }) => documents > 0 && !isSource(snapshot, name));
  return listPlannedOperators(snapshot).map(({ name, type, inputs }) => {
    const seen = run.operators.find((operator) => operator.name === name);
    const lines = [
      { text: getProgress(seen) },
      ...(seen && seen.failed > 0 ? [{ text: texts.run.failedCount(formatCount(seen.failed)), isBad: true }] : []),
    ];
    const out = seen && seen.out > 0 ? { out: formatCount(seen.out) } : {};
    return {
      name,
      type,
      inputs,
      lines,
      ...out,
      tone: getToneOfNode(seen, isActive && !(hasBegun && inputs.length === 0)),
    };
  });
}

function isSource(snapshot: FlowSnapshot, name: string): boolean {
  return listPlannedOperators(snapshot).some((operator) => operator.name === name && operator.inputs.length === 0);
}

/** The documents that went through an operator; before the first one, the pages of those in progress. */
function getProgress(seen: JobRunReply['operators'][number] | undefined): string {
  if (!seen || seen.documents > 0 || !seen.pages) return texts.run.through(formatCount(seen?.documents ?? 0));
  return texts.run.nodePages(formatCount(seen.pages.done), formatCount(seen.pages.total));
}

/** Sources end before the other steps begin. */
function getToneOfNode(seen: { documents: number; failed: number } | undefined, isActive: boolean): Tone {
  if (!seen) return 'idle';
  if (seen.failed > 0) return 'failed';
  if (isActive) return 'active';
  return seen.documents > 0 ? 'done' : 'idle';
}
