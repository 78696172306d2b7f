import type { ErrorEntry } from './entry';

/** Knowledge graphs. */
export const graphErrors = {
  GRAPH_CONFIGURATION_INVALID: {
    status: 400,
    scope: 'request',
    text: 'The options, the template or the graph export is invalid.',
  },
  GRAPH_VALUE_INVALID: {
    status: 422,
    scope: 'request',
    text: 'The graph cannot be written, for example because it is empty.',
  },
  GRAPH_EXTRACTION_FAILED: {
    status: 422,
    retry: 'few',
    scope: 'document',
    text: 'Nothing that the template describes could be extracted from the document.',
  },
  GRAPH_PIPELINE_FAILED: { status: 500, scope: 'document', text: 'A stage of the graph pipeline failed.' },
  GRAPH_NOT_FOUND: {
    status: 404,
    scope: 'request',
    text: 'The graph does not exist, belongs to another user or has expired.',
  },
  GRAPH_LIMIT_REACHED: {
    status: 409,
    scope: 'request',
    text: 'The update of the graph would exceed its limit, or has reached it.',
  },
  GRAPH_NOT_READY: {
    status: 409,
    scope: 'request',
    text: 'The graph has no files: it is unfinished, failed or was cancelled.',
  },
} as const satisfies Record<string, ErrorEntry>;
