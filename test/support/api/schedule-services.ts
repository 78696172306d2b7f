import { AppError } from '../../../model/errors';
import type { Schedules } from '../../../services/flow/schedules';
import type { TestState } from './server';

/** Schedules in memory; the cron expression 'refused' is one that Temporal refuses. */
export function memorySchedules(state: TestState): Schedules {
  const find = (id: string) => state.schedules.find(({ schedule_id }) => schedule_id === id);
  return {
    create: async (schedule) => {
      if (schedule.cron === 'refused') throw new AppError('VALIDATION_ERROR', 'Temporal refuses the schedule.');
      const made = {
        ...schedule,
        state: 'active' as const,
        next_runs: ['2030-01-01T00:00:00.000Z'],
        recent_runs: [],
        skipped_runs: 0,
      };
      state.schedules.push(made);
      return made;
    },
    list: async (flowId, { limit, offset }) => {
      const matchingSchedules = state.schedules.filter(({ flow_id }) => flow_id === flowId);
      return { items: matchingSchedules.slice(offset, offset + limit), total: matchingSchedules.length };
    },
    listByFlows: async (ids, limit) => state.schedules.filter(({ flow_id }) => ids.includes(flow_id)).slice(0, limit),
    get: async (flowId, id) => (find(id)?.flow_id === flowId ? find(id) : undefined),
    setPaused: async (id, paused) => void Object.assign(find(id) ?? {}, { state: paused ? 'paused' : 'active' }),
    trigger: async () => {},
    change: async ({ schedule_id }, change) => void Object.assign(find(schedule_id) ?? {}, change),
    remove: async (id) => void (state.schedules = state.schedules.filter(({ schedule_id }) => schedule_id !== id)),
    removeByOwner: async (owner) =>
      void (state.schedules = state.schedules.filter((schedule) => schedule.owner !== owner)),
    removeAll: async (flowId) => void (state.schedules = state.schedules.filter(({ flow_id }) => flow_id !== flowId)),
  };
}
