import { hash } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { Reader } from '../../model/access';
import type { DocumentSetRows, SetTotals } from './document-set-rows';
import type { SetColumns } from './set-columns';

/** One user's view of a set: totals and columns of the rows that the user may read. */
export interface SetView extends SetColumns {
  totals: SetTotals;
}

/** A cached view, valid while `writes` equals that of the set. */
export interface StoredView extends SetView {
  /** `<set id>/<user name>`. */
  _id: string;
  set_id: string;
  writes: number;
  /** Hash of the reader's principals: other groups see other rows. */
  principals: string;
}

/** The members of a set that identify it and its version. */
interface ViewedSet {
  _id: string;
  writes: number;
}

/** Per-user views of sets, computed on first access after a write and cached until the next write. */
export function createSetViews(views: Collection<StoredView>, rows: Pick<DocumentSetRows, 'view'>) {
  const buildKey = (set: ViewedSet, { username }: Reader) => `${set._id}/${username}`;
  const computeView = async (set: ViewedSet, user: Reader): Promise<SetView> => {
    const view = await rows.view(user, set._id);
    const _id = buildKey(set, user);
    await views.updateOne(
      { _id },
      { $set: { set_id: set._id, writes: set.writes, principals: hashPrincipals(user), ...view } },
      { upsert: true },
    );
    return view;
  };
  return {
    async get(set: ViewedSet, user: Reader): Promise<SetView> {
      const storedView = await views.findOne({ _id: buildKey(set, user) });
      const isCurrent = storedView?.writes === set.writes && storedView.principals === hashPrincipals(user);
      return storedView && isCurrent ? storedView : computeView(set, user);
    },
    async remove(setId: string): Promise<void> {
      await views.deleteMany({ set_id: setId });
    },
  };
}

function hashPrincipals({ principals }: Reader): string {
  return hash('sha256', JSON.stringify(principals ?? null)).slice(0, 32);
}
