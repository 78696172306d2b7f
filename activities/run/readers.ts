import type { Reader } from '../../model/access';
import { getRunRights } from '../../model/run/rights';
import type { RunRecord } from '../../services/run/run-record';
import type { ActivityDeps } from '../deps';

/** The users who must all be able to read what the run sees, with their current groups. Empty for everybody. */
export function listReaders({ readers }: Pick<ActivityDeps, 'readers'>, run: Pick<RunRecord, 'owner' | 'acting'>) {
  return Promise.all(getRunRights(run).readers.map((username): Promise<Reader> => readers.find(username)));
}
