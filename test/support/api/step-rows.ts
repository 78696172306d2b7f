import { createStepRows, type StepRows } from '../../../services/run/step-rows';

/** Each operator of each run has written one row that alice may read and one that nobody may read. */
export function memoryStepRows(): StepRows {
  const row = { id: 'd1', name: 'a.md', path: 'a.md', content: 'An otter.' };
  const rows = [
    { ...row, allowed_users: ['alice'] },
    { ...row, id: 'd2', allowed_users: [] },
  ];
  return createStepRows({
    tables: { listParts: async () => ['p00000'], read: async () => rows },
    ledger: { lookup: async () => new Map(), listRemoved: async () => new Set() },
  });
}
