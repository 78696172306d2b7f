import type { Claim } from '../export/claims';
import type { RemovalScope } from './removals';
import { createRemovalSteps, type StepDeps } from './steps';

const scope: RemovalScope = { jobId: 'job', documentIds: ['a'], runs: [], isJob: false, isLate: () => false };
const claim: Claim = {
  place: 'folder:/srv/x',
  name: 'a.md',
  job_id: 'job',
  operator: 'export',
  document_id: 'a',
  format: 'md',
  run_id: 'run',
  written: true,
  hashes: [],
};
const step = (claims: Claim[], removeExported?: StepDeps['removeExported']) =>
  createRemovalSteps({
    claims: { of: async () => [...claims] },
    ...(removeExported ? { removeExported } : {}),
  } as unknown as StepDeps).exported_files(scope);

test('a document without exported files has nothing to remove, which the api can decide by itself', async () => {
  expect(await step([])).toBe(0);
});

test('exported files wait for a worker, which reaches the folders', async () => {
  expect(await step([claim])).toMatchObject({ state: 'waiting' });
  const claims = [claim];
  expect(await step(claims, async () => claims.splice(0).length)).toBe(1);
});

test('files at a location that no run uses any more stay, and the receipt lists the location', async () => {
  expect(await step([claim], async () => 0)).toEqual({
    removed: 0,
    state: 'kept',
    note: '1 exported files stay at places that no run of the flow names now: folder:/srv/x.',
  });
});

test('an index is refreshed before the receipt reports removed records', async () => {
  const calls: string[] = [];
  const removed = await createRemovalSteps({
    catalogue: { names: async () => ['empty', 'full'] },
    search: {
      removeDocuments: async (name: string) => {
        calls.push(`remove ${name}`);
        return name === 'full' ? 2 : 0;
      },
      refresh: async (name: string) => void calls.push(`refresh ${name}`),
    },
  } as unknown as StepDeps).indexes(scope);
  expect(removed).toBe(2);
  expect(calls).toEqual(['remove empty', 'remove full', 'refresh full']);
});
