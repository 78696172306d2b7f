import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { EndedWorkflow } from '../model/run/traced-workflow';
import { parseTraceparent, buildTraceHeaders } from '../services/tracing/trace-context';
import { type SpanAttributes, getTracing } from '../services/tracing/tracing';

/** Runs each activity of a trace in its own span, and adds the trace ids to its log lines. */
export function createActivityTracing(): ActivityInterceptorsFactory {
  return (context: Context) => ({
    inbound: {
      execute: (input, next) => {
        const parent = findParent(input.headers['traceparent']);
        if (!parent) return next(input);
        const { activityType: name } = context.info;
        const attributes = { ...buildIds(input.args), 'temporal.attempt': context.info.attempt };
        return getTracing().runInSpan({ name, kind: 'internal', parent, attributes }, () => next(input));
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) => {
        const { traceparent } = buildTraceHeaders();
        const parent = parseTraceparent(traceparent);
        return next(parent ? { ...attributes, trace_id: parent.traceId, span_id: parent.spanId } : attributes);
      },
    },
  });
}

/** Writes the spans of workflows when they end. */
export const tracingSinks: InjectedSinks<{ tracing: { ended(workflow: EndedWorkflow): void } }> = {
  tracing: {
    ended: {
      fn(_info, { parent: header, ...workflow }) {
        const parent = parseTraceparent(header);
        if (parent) getTracing().record({ ...workflow, parent, endMs: Date.now() });
      },
      callDuringReplay: false,
    },
  },
};

function findParent(payload: Payload | undefined) {
  if (!payload) return undefined;
  try {
    return parseTraceparent(defaultPayloadConverter.fromPayload(payload));
  } catch {
    return undefined;
  }
}

/** Ids and positions in the argument of an activity. */
function buildIds([argument]: unknown[]): SpanAttributes {
  const { runId, taskId, graphId, part, index } = (argument ?? {}) as Record<string, unknown>;
  const findText = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    'docloom.run_id': findText(runId),
    'docloom.task': findText(taskId),
    'docloom.graph_id': findText(graphId),
    'docloom.part': findText(part),
    'docloom.document_index': typeof index === 'number' ? index : undefined,
  };
}
