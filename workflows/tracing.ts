import {
  proxySinks,
  type Sinks,
  type WorkflowExecuteInput,
  type WorkflowInterceptors,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import type { EndedWorkflow } from '../model/run/traced-workflow';
import { findFailureCode } from './failures';

interface TracingSinks extends Sinks {
  tracing: { ended(workflow: EndedWorkflow): void };
}
const { tracing } = proxySinks<TracingSinks>();

/** The header is a JSON string, as the default converter writes it; workflows have neither a converter for it nor a codec. */
const name = 'traceparent';
type Payload = WorkflowExecuteInput['headers'][string];

/**
 * Passes the trace of the request that started a workflow on to its activities and child workflows, and reports each workflow as a span
 * when it has ended. A workflow that belongs to no trace has no headers. The id of the span is taken from the run id, so that a replay
 * makes the same one.
 */
export const interceptors: WorkflowInterceptorsFactory = (): WorkflowInterceptors => {
  const { runId, workflowType, runStartTime } = workflowInfo();
  const spanId = runId.replaceAll('-', '').slice(16);
  let parentHeader: Payload | undefined;
  let spanHeader: Payload | undefined;
  const pass = <Input extends { headers: Record<string, Payload> }>(input: Input, payload = spanHeader): Input =>
    payload ? { ...input, headers: { ...input.headers, [name]: payload } } : input;
  const report = (failed?: string) => {
    if (!parentHeader) return;
    const parent = readTraceparent(parentHeader);
    tracing.ended({ name: workflowType, parent, spanId, startMs: runStartTime.getTime(), failed });
  };
  return {
    inbound: [
      {
        async execute(input, next) {
          parentHeader = input.headers[name] ?? startTrace(workflowType, runId);
          // `00-TRACE-PARENT-FLAGS`: the children of this workflow have its span as their parent.
          spanHeader =
            parentHeader && buildPayload(readTraceparent(parentHeader).replace(/^(..-.{32}-).{16}/, `$1${spanId}`));
          try {
            const result = await next(input);
            report();
            return result;
          } catch (error) {
            report(findFailureCode(error));
            throw error;
          }
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(pass(input)),
        scheduleLocalActivity: (input, next) => next(pass(input)),
        startChildWorkflowExecution: (input, next) => next(pass(input)),
        continueAsNew: (input, next) => next(pass(input, parentHeader)),
      },
    ],
  };
};

/** Schedules start their workflows without a request: the trace begins with them. */
function startTrace(workflowType: string, runId: string): Payload | undefined {
  return workflowType === 'scheduledRun'
    ? buildPayload(`00-${runId.replaceAll('-', '')}-${'0'.repeat(15)}1-01`)
    : undefined;
}

function buildPayload(text: string): Payload {
  const encode = (value: string) => Uint8Array.from(value, (character) => character.charCodeAt(0));
  return { metadata: { encoding: encode('json/plain') }, data: encode(JSON.stringify(text)) };
}

/** Empty when it is not a `traceparent`. */
function readTraceparent({ data }: Payload): string {
  const text = String.fromCharCode(...(data ?? [])).replaceAll('"', '');
  return /^[0-9a-f-]{55}$/.test(text) ? text : '';
}
