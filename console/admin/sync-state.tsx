import type { IdentityMapReply } from '../../client';
import { texts } from '../texts';

/** Whether the accounts of a map are recent, and whether they still give access. */
export function SyncState({ sync: { is_closed: isClosed, is_fresh: isFresh, error } }: Pick<IdentityMapReply, 'sync'>) {
  const { states } = texts.identities;
  if (isClosed) return <Mark tone="failed">{states.closed}</Mark>;
  if (error) return <Mark tone="failed">{states.failed}</Mark>;
  return isFresh ? <Mark tone="done">{states.fresh}</Mark> : <Mark tone="warn">{states.old}</Mark>;
}

function Mark({ tone, children }: { tone: 'done' | 'warn' | 'failed'; children: string }) {
  return (
    <span className="state" data-tone={tone}>
      {children}
    </span>
  );
}
