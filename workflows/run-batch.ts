import { isCancellation, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { getProducer } from '../model/flow/graph';
import type { PlannedOperator } from '../model/flow/plan';
import {
  type BatchReport,
  maxReportedFailures,
  type OperatorCall,
  type PartRef,
  type PartReport,
  type RunBatchInput,
} from '../model/run/run';
import { callOperator, outlastHungWorker, runActivities } from './activities';
import { endOnFailure, endsRun, isWorkerLost, toFailure } from './failures';
import { addPart, describeFailures, createEmptyBatch } from './progress';

/** The whole part of the batch, or a slice of it after a failure. */
interface Piece {
  part: string;
  slice?: { index: number; of: number };
  /** The operator that gets one more attempt, after its worker was lost in every earlier one. */
  lostIn?: string;
}

/**
 * Runs one part through the operators of a stage. When an operator fails on a part in every retry, the part is repeated in halves
 * until the failing document is alone. That document is marked failed, and the others continue. A document whose worker stopped
 * answering gets one more attempt, in case not the document but the worker was the cause.
 */
export async function runBatch(input: RunBatchInput): Promise<BatchReport> {
  const report = createEmptyBatch();
  await runPiece(input, { part: input.part }, report);
  if (input.settle) {
    report.documents = await runActivities.settle_part({
      runId: input.runId,
      source: { operator: input.settle, part: input.part },
    });
  }
  if (input.showsCounts) showOutcome(report);
  return report;
}

/** Outcome and counts of the batch where the Temporal UI shows them: in the list, and as details. */
function showOutcome({ documents: { completed, failed, skipped }, failures, operators }: BatchReport): void {
  // Documents are settled in the last stage only; before it, the reports of the operators count the failed ones.
  const failedCount = failed || Object.values(operators).reduce((sum, counts) => sum + counts.failed, 0);
  upsertSearchAttributes({
    Outcome: [failedCount > 0 ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED'],
    Documents: [completed + failed + skipped],
    FailedDocuments: [failedCount],
  });
  const headline = `${completed} completed, ${failed} failed, ${skipped} skipped`;
  setCurrentDetails([headline, ...describeFailures(failures, failedCount)].join('\n'));
}

async function runPiece(input: RunBatchInput, piece: Piece, report: BatchReport): Promise<void> {
  const pieceReport = createEmptyBatch();
  const written = new Set<string>();
  for (const operator of input.operators) {
    const inputs = listInputs(operator, input, piece, written);
    if (inputs.length === 0) continue;
    const call: OperatorCall = { runId: input.runId, operator: operator.name, inputs, part: piece.part };
    let part: PartReport;
    try {
      const attempts = piece.lostIn === operator.name ? 1 : undefined;
      part = await callOperator(operator, call, `${operator.name} ${piece.part}`, attempts);
    } catch (error) {
      if (isCancellation(error) || endsRun(error)) throw error;
      await splitPiece(input, piece, { operator, error }, report);
      return;
    }
    written.add(operator.name);
    addPart(pieceReport, operator.name, part);
    if (input.failFast) endOnFailure(part);
  }
  mergeInto(report, pieceReport);
}

/** Repeats the piece in halves, or marks its only document as failed. */
async function splitPiece(
  input: RunBatchInput,
  piece: Piece,
  { operator, error }: { operator: PlannedOperator; error: unknown },
  report: BatchReport,
): Promise<void> {
  const { code, message } = toFailure(error);
  const inputs = input.available.map((name) => buildSlicePart(name, input, piece));
  const { rows } = await runActivities.split_part({ runId: input.runId, part: piece.part, inputs });
  if (rows <= 1) {
    if (piece.lostIn === undefined && isWorkerLost(error) && (await outlastHungWorker())) {
      await runPiece(input, { ...piece, lostIn: operator.name }, report);
      return;
    }
    const failures = await runActivities.mark_broken({
      runId: input.runId,
      part: piece.part,
      inputs,
      operator: operator.name,
      type: operator.type,
      code,
      message,
    });
    addPart(report, operator.name, failures);
    if (input.failFast) endOnFailure(failures);
    return;
  }
  const { index, of } = piece.slice ?? { index: 0, of: 1 };
  await runPiece(input, { part: `${piece.part}-0`, slice: { index: index * 2, of: of * 2 } }, report);
  await runPiece(input, { part: `${piece.part}-1`, slice: { index: index * 2 + 1, of: of * 2 } }, report);
}

function listInputs(
  operator: PlannedOperator,
  input: RunBatchInput,
  piece: Piece,
  written: ReadonlySet<string>,
): PartRef[] {
  const available = new Set(input.available);
  return operator.inputs.flatMap((name) => {
    if (written.has(name)) return [{ operator: name, part: piece.part }];
    if (available.has(name)) return [buildSlicePart(name, input, piece)];
    // A branch exists once the operator that divides the rows has written its tables.
    if (written.has(getProducer(name, written))) return [{ operator: name, part: piece.part }];
    return available.has(getProducer(name, available)) ? [buildSlicePart(name, input, piece)] : [];
  });
}

/** The piece's share of a table of the source or of an earlier stage, counted in documents of the source. */
function buildSlicePart(operator: string, { part, available }: RunBatchInput, { slice }: Piece): PartRef {
  return { operator, part, slice, by: operator === available[0] ? undefined : available[0] };
}

function mergeInto(report: BatchReport, piece: BatchReport): void {
  for (const [name, counts] of Object.entries(piece.operators)) {
    addPart(report, name, { ...counts, documents: 0, failures: [], warnings: [], metrics: {}, pages: 0 });
  }
  report.pages += piece.pages;
  report.warnings.push(...piece.warnings);
  report.failures = [...report.failures, ...piece.failures].slice(0, maxReportedFailures);
}
