import type { Row } from '../../../model/flow/row';
import type { OperatorContext, OperatorServices } from '../../../operators/operator';

/** A context for tests: the given services, a signal that is never aborted by default, a run of a flow without operators. */
export function contextFor(
  services: Partial<OperatorServices> = {},
  change: Partial<OperatorContext> = {},
): OperatorContext {
  return {
    signal: new AbortController().signal,
    progress: () => undefined,
    operator: 'tested',
    services: services as OperatorServices,
    run: {
      runId: 'run',
      jobId: 'job',
      owner: 'alice',
      startedAt: '2026-01-01T00:00:00.000Z',
      forceIngest: false,
      planHash: '',
      flow: { flow_name: 'test', flow: [] },
    },
    ...change,
  };
}

/** A document with this content, readable by alice. */
export function documentRow(id: string, content: string | undefined, change: Partial<Row> = {}): Row {
  return {
    id,
    name: `${id}.md`,
    path: `/documents/${id}.md`,
    content,
    pages_processed: 1,
    allowed_users: ['alice'],
    metadata: { extension: 'md' },
    ...change,
  };
}

/** A files service whose every method fails, for tests to replace the ones they use. */
export const unusedFiles: OperatorServices['files'] = {
  get: unused,
  put: unused,
  exists: unused,
  list: () => {
    throw new Error('not used');
  },
  removePrefix: unused,
};

function unused(): Promise<never> {
  return Promise.reject(new Error('not used'));
}
