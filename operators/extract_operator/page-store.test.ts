import { AppError } from '../../model/errors';
import type { Converted, Converter } from '../../services/conversion/converter';
import { fakeServices, type FakeServices } from '../../test/support/operators/operator-services';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';

const converted: Converted = { markdown: 'text', text: 'text', documentJson: '{}', pages: 700, format: 'pdf' };
const range = { from: 1, to: 600, bytes: new Uint8Array([1, 2, 3]) };
const rows = [documentRow('long', undefined), documentRow('other', undefined)];
// The operator reads documents from the source that is named like its column.
const flow = {
  flow_name: 'test',
  flow: [
    {
      type: 'ingest_source',
      name: 'in',
      config: { provider: 'filesystem', connection_params: { paths: ['/documents'] } },
    },
    { type: 'extract_operator', name: 'tested', depends_on: ['in'] },
  ],
};

let fakes: FakeServices;
beforeEach(() => {
  fakes = fakeServices();
});
afterEach(() => fakes.close());

/** Runs the operator with a converter that does this for the long document. */
function extract(convert: (pages: NonNullable<Parameters<Converter['convert']>[0]['pages']>) => Promise<void>) {
  const converter: Converter = {
    convert: async ({ name, pages }) => {
      if (name === 'long.md' && pages) await convert(pages);
      return converted;
    },
    close: async () => undefined,
  };
  const context = contextFor({ ...fakes.services, converter });
  return run(rows, {}, { ...context, run: { ...context.run, flow } });
}
async function listKept(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of fakes.services.files.list('run/run/.pages/')) keys.push(key);
  return keys;
}

test('an attempt gets the pages that an interrupted one has stored, and removes them at its end', async () => {
  const interrupted = extract(async (pages) => {
    await pages.write(range);
    throw new AppError('STORAGE_ERROR', 'The disk is full.');
  });
  await expect(interrupted).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  await extract(async (pages) => {
    expect(await pages.read()).toEqual([range]);
    expect(await listKept()).toHaveLength(1);
  });
  expect(await listKept()).toEqual([]);
});
