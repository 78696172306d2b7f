import type { Collection } from 'mongodb';
import type { User } from '../../model/access';
import type { SetRows, SetTotals } from './document-set-rows';
import type { SetColumns } from './set-columns';

/** What one user may know of a set: totals and columns of the rows that they may read. */
export interface SetView extends SetColumns {
  totals: SetTotals;
}

/** A view as it was computed, true while the set counts the same number of writes. */
export interface StoredView extends SetView {
  /** `<set id>/<user name>`. */
  _id: string;
  set_id: string;
  writes: number;
}

/** What a view is computed from and compared with. */
interface ViewedSet {
  _id: string;
  writes: number;
}

type Asker = Pick<User, 'username'>;

/** The views of users of sets: computed at the first question after a write, and kept for those that follow. */
export function createSetViews(views: Collection<StoredView>, rows: Pick<SetRows, 'view'>) {
  const keyOf = (set: ViewedSet, { username }: Asker) => `${set._id}/${username}`;
  const computed = async (set: ViewedSet, user: Asker): Promise<SetView> => {
    const view = await rows.view(user, set._id);
    const _id = keyOf(set, user);
    await views.updateOne({ _id }, { $set: { set_id: set._id, writes: set.writes, ...view } }, { upsert: true });
    return view;
  };
  return {
    async get(set: ViewedSet, user: Asker): Promise<SetView> {
      const known = await views.findOne({ _id: keyOf(set, user) });
      return known?.writes === set.writes ? known : computed(set, user);
    },
    async remove(setId: string): Promise<void> {
      await views.deleteMany({ set_id: setId });
    },
  };
}
