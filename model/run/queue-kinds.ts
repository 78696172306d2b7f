import { AppError } from '../errors';

/** The kinds of task queues, by the kind of work. */
export const queueKinds = ['flow', 'cpu', 'io', 'graph', 'convert', 'webhook'] as const;
export type QueueKind = (typeof queueKinds)[number];

/** The queues that a worker polls; all if none are named. Throws INVALID_CONFIGURATION for an unknown name. */
export function listPolledKinds(named: readonly string[]): ReadonlySet<QueueKind> {
  const unknown = named.filter((name) => !queueKinds.some((kind) => kind === name));
  if (unknown.length > 0)
    throw new AppError(
      'INVALID_CONFIGURATION',
      `DOCLOOM_WORKER_QUEUES names ${unknown.join(', ')}; the queues are ${queueKinds.join(', ')}.`,
    );
  return new Set(named.length > 0 ? (named as QueueKind[]) : queueKinds);
}
