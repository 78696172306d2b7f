import { createIngestJob, listedFile } from '../../test/support/operators/ingest-job';
import type { ListingStep } from '../operator';

const getName = (number: number) => `file-${String(number).padStart(5, '0')}`;
const listFiles = (count: number, isResumable = true) =>
  Array.from({ length: count }, (_, number) => {
    const name = getName(number);
    return listedFile(name, { version: `v${name}`, ...(isResumable ? { cursor: name } : {}) });
  });

/** Ends an attempt when the document is emitted. */
function dieAt(number: number) {
  return ({ name }: { name: string }) => {
    if (name === getName(number)) throw new Error('killed');
  };
}

test('an attempt continues after the last step of the previous attempt, with the same result as a single attempt', async () => {
  const files = listFiles(5_200);
  files[10] = { ...files[10]!, skip: 'a link' };
  files[20] = { ...files[20]!, failure: { code: 'SOURCE_UNREADABLE', message: 'm' } };
  files[30] = { ...files[30]!, allowedUsers: [] };
  const whole = await createIngestJob().run({ files });
  const { run } = createIngestJob();
  const steps: ListingStep[] = [];
  await expect(run({ files, steps, onRow: dieAt(4_700) })).rejects.toThrow('killed');
  expect(steps.map(({ cursor }) => cursor)).toEqual([getName(1_999), getName(3_999)]);
  const rest = await run({ files, steps });
  expect([rest.names[0], rest.names.length]).toEqual([getName(4_000), 1_200]);
  const { names: _names, rows: _rows, hashed: _hashed, reads: _reads, ...expected } = whole;
  expect(rest).toMatchObject(expected);
});

test('documents that an earlier attempt saw do not count as deleted', async () => {
  const { run } = createIngestJob();
  const files = listFiles(2_600);
  await run({ files });
  const steps: ListingStep[] = [];
  const changed = files.map((file, number) => (number === 2_300 ? { ...file, size: 99, version: 'new' } : file));
  const left = changed.filter((_, number) => number !== 5);
  const hash = (path: string) => (path.endsWith(getName(2_300)) ? 'changed' : `hash of ${path}`);
  await expect(run({ files: left, steps, hash, onRow: dieAt(2_300) })).rejects.toThrow('killed');
  const again = await run({ files: left, steps, hash });
  expect(again).toMatchObject({ names: [getName(2_300)], added: 0, changed: 1 });
  expect(again.gone.map(({ name }) => name)).toEqual([getName(5)]);
  expect(again.unchanged).toHaveLength(2_598);
});

test('a listing that was incomplete before the step removes nothing after it', async () => {
  const { run } = createIngestJob();
  const files = listFiles(2_600);
  await run({ files });
  const steps: ListingStep[] = [];
  const broken = { failure: { code: 'SOURCE_UNREADABLE', message: 'm' }, incomplete: true as const };
  const left = files.flatMap((file, number) =>
    number === 2_500 ? [] : [number === 3 ? { ...file, ...broken } : file],
  );
  left.push(listedFile('zz', { cursor: 'zz' }));
  await expect(
    run({
      files: left,
      steps,
      onRow: () => {
        throw new Error('killed');
      },
    }),
  ).rejects.toThrow('killed');
  expect(steps).toHaveLength(1);
  expect((await run({ files: left, steps })).gone).toEqual([]);
});

test('a source that cannot continue is listed from the beginning, and so is a sample', async () => {
  const { run } = createIngestJob();
  const steps: ListingStep[] = [];
  await run({ files: listFiles(2_600, false), steps });
  await run({ files: listFiles(2_600), steps, sample: 2_500 });
  expect(steps).toEqual([]);
});
