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

/** The operators as nodes, with their current counts. */
export function listNodes(snapshot: FlowSnapshot, run: JobRunReply): ShownNode[] {
  const isActive = activeStates.includes(run.status);
  // Sources end before the other steps begin.
  const haveSourcesEnded = run.operators.some(({ name, documents }) => documents > 0 && !isSource(snapshot, name));
  return listPlannedOperators(snapshot).map(({ name, type, inputs }) => {
    const counts = run.operators.find((operator) => operator.name === name);
    const lines = [
      { text: describeProgress(counts) },
      ...(counts && counts.failed > 0
        ? [{ text: texts.run.failedCount(formatCount(counts.failed)), isBad: true }]
        : counts && counts.skipped > 0
          ? [{ text: texts.run.skippedCount(formatCount(counts.skipped)) }]
          : []),
    ];
    const out = counts && counts.out > 0 ? { out: formatCount(counts.out) } : {};
    return {
      name,
      type,
      inputs,
      lines,
      ...out,
      tone: findTone(counts, isActive && !(haveSourcesEnded && inputs.length === 0)),
    };
  });
}

function isSource(snapshot: FlowSnapshot, name: string): boolean {
  return listPlannedOperators(snapshot).some((operator) => operator.name === name && operator.inputs.length === 0);
}

/** The documents that went through an operator; before the first one, the pages of those in progress. */
function describeProgress(counts: JobRunReply['operators'][number] | undefined): string {
  if (!counts || counts.documents > 0 || !counts.pages) return texts.run.through(formatCount(counts?.documents ?? 0));
  return texts.run.nodePages(formatCount(counts.pages.done), formatCount(counts.pages.total));
}

function findTone(counts: { documents: number; failed: number } | undefined, isActive: boolean): Tone {
  if (!counts) return 'idle';
  if (counts.failed > 0) return 'failed';
  if (isActive) return 'active';
  return counts.documents > 0 ? 'done' : 'idle';
}

/** The name of a batch, counted from 1 as in the Temporal UI: `p00001` is batch 2. Names of parts of several sources stay. */
export function describeBatch(part: string): string {
  const index = /^p(\d{5,})$/.exec(part)?.[1];
  return index === undefined ? part : texts.run.batch(formatCount(Number(index) + 1));
}
