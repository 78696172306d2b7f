import type { ApiServices } from '../../../api/services';
import type { User } from '../../../model/access';
import type { FailureFilter } from '../../../services/run/failures';
import type { TestState } from './server';

/** Failed documents in memory. */
export function memoryFailures(state: TestState): ApiServices['failures'] {
  const found = (user: User, { everyone, ids, code, operator, flow_id, state: wanted }: FailureFilter) =>
    state.failures.filter(
      (failure) =>
        (everyone || failure.owner === user.username) &&
        (ids?.includes(failure.id) ?? true) &&
        (code === undefined || failure.code === code) &&
        (operator === undefined || failure.operator === operator) &&
        (flow_id === undefined || failure.flow_id === flow_id) &&
        (wanted === undefined || failure.state === wanted),
    );
  return {
    list: async (user, filter, { limit, offset }) => {
      const all = found(user, filter);
      return { items: all.slice(offset, offset + limit), total: all.length };
    },
    get: async (user, id) => {
      const [failure] = found(user, { ids: [id] });
      return failure ? { ...failure, job_id: 'job' } : undefined;
    },
    findIds: async (user, jobId, ids) =>
      new Map(
        found(user, {})
          .filter(({ flow_id, document_id }) => flow_id === jobId && ids.includes(document_id))
          .map(({ document_id, id }) => [document_id, id]),
      ),
    countByGroup: async (user, filter, by) => {
      const all = found(user, filter);
      return [...new Set(all.map((document) => document[by]))].map((key) => {
        const same = all.filter((document) => document[by] === key);
        return { key, name: by === 'flow_id' ? (same[0]?.flow_name ?? '') : key, count: same.length };
      });
    },
    setState: async (user, filter, wanted) => {
      const all = found(user, filter);
      for (const document of all) document.state = wanted;
      return all.length;
    },
    setIgnored: async (user, filter, isIgnored) => {
      const some = found(user, { ...filter, state: isIgnored ? 'failed' : 'ignored' });
      for (const document of some) document.state = isIgnored ? 'ignored' : 'failed';
      return some.length;
    },
    forgetJob: async (jobId) => void (state.failures = state.failures.filter(({ flow_id }) => flow_id !== jobId)),
  };
}
