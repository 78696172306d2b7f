import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../../client';
import { azureFixture } from '../../support/sources/azure';
import { type SourceFixture, withParams } from '../../support/sources/fixture';
import { gcsFixture } from '../../support/sources/gcs';
import { s3Fixture } from '../../support/sources/s3';
import { createSystem, startAsAlice, type System } from '../../support/system/system';

/** Flows that export into the bucket that they read. */
let system: System;
let alice: Client;
beforeAll(async () => {
  system = createSystem({ DOCLOOM_ALLOWED_HOSTS: 'localhost' });
  alice = await startAsAlice(system);
});
afterAll(() => system.stop());

function getDestination({ provider, config }: SourceFixture, prefix: string): Record<string, unknown> {
  const params = { ...(config['connection_params'] as object), ...(config['credentials'] as object), prefix };
  return { destination: provider, formats: ['md'], connection_params: params };
}

function prepare(name: string, source: Record<string, unknown>, destination?: Record<string, unknown>) {
  const operators = [
    { type: 'ingest_source', name: 'ingest', config: source },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    ...(destination ? [{ type: 'storage', name: 'export', depends_on: ['extract'], config: destination }] : []),
  ];
  const created = alice.flows.create({ flow_name: name, flow: operators });
  return async () => {
    const { flow_id } = await created;
    const { job_run_id: id } = await alice.jobRuns.create({ flow_id });
    return (await alice.jobRuns.waitFor(id)).totals;
  };
}

async function listKeys({ sources, provider, config }: SourceFixture): Promise<string[]> {
  const keys: string[] = [];
  for await (const { relativePath } of sources.list(provider, config, new AbortController().signal))
    keys.push(relativePath);
  return keys;
}

describe.each([
  ['s3', s3Fixture],
  ['azure', azureFixture],
  ['gcs', gcsFixture],
])('%s', (name, open) => {
  let fixture: SourceFixture;
  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(() => fixture.close());

  test.each(['out/deep', ''])(
    'a flow that exports with the prefix "%s" into the bucket that it reads does not ingest its exports',
    async (prefix) => {
      const flow = `${name}-${prefix === '' ? 'beside' : 'below'}`;
      await fixture.put('team/note.txt', 'A note.');
      await fixture.put('plan.txt', 'A plan.');
      const run = prepare(flow, fixture.config, getDestination(fixture, prefix));
      expect(await run()).toMatchObject({ documents: 2, completed: 2 });
      const keys = await listKeys(fixture);
      expect(keys).toContain([prefix, 'team/note.txt.md'].filter(Boolean).join('/'));
      expect(await run()).toMatchObject({ documents: 2, completed: 0, skipped: 2, deleted: 0 });
      expect(await listKeys(fixture)).toEqual(keys);
      // Exports beside the originals belong to their documents: a changed document replaces its file, a deleted one removes it.
      await fixture.remove('plan.txt');
      expect(await run()).toMatchObject({ documents: 1, skipped: 1, deleted: 1 });
      expect(await listKeys(fixture)).toEqual(keys.filter((key) => !/plan\.txt/.test(key)));
    },
  );

  test('other flows leave the exports out as well, unless they include them', async () => {
    await fixture.put('team/note.txt', 'A note.');
    const exported = (await listKeys(fixture)).filter((key) => key.endsWith('.md')).length;
    expect(exported).toBeGreaterThan(0);
    const other = prepare(`${name}-other`, fixture.config);
    expect(await other()).toMatchObject({ documents: 1 });
    const including = prepare(`${name}-including`, { ...fixture.config, include_exports: true });
    expect(await including()).toMatchObject({ documents: 1 + exported, completed: 1 + exported });
    // A file that no flow wrote is a document, whatever its name.
    await fixture.put('team/other.txt.md', 'Written by a person.');
    expect(await other()).toMatchObject({ documents: 2, completed: 1 });
  });
});

test('an export that may not replace a file does not hide it from those who read the bucket', async () => {
  const fixture = await s3Fixture();
  try {
    await fixture.put('held/report.txt.md', 'Written by a person.');
    mkdirSync(path.join(system.folder, 'mine', 'held'), { recursive: true });
    writeFileSync(path.join(system.folder, 'mine', 'held', 'report.txt'), 'Exported under the name of another file.');
    const mine = { provider: 'filesystem', paths: [path.join(system.folder, 'mine')] };
    // Its name is taken, so the export gets one beside it, which is left out.
    expect(await prepare('hiding', mine, getDestination(fixture, ''))()).toMatchObject({ documents: 1, completed: 1 });
    expect(await prepare('reading', fixture.config)()).toMatchObject({ documents: 1, completed: 1 });
  } finally {
    await fixture.close();
  }
});

test('two names of this machine are one server', async () => {
  const fixture = await s3Fixture();
  try {
    await fixture.put('note.txt', 'A note.');
    const { endpoint_url: address } = fixture.config['connection_params'] as Record<string, string>;
    const named = withParams(fixture.config, { endpoint_url: address?.replace('127.0.0.1', 'localhost') });
    const run = prepare('two-names', named, getDestination(fixture, 'out'));
    expect(await run()).toMatchObject({ documents: 1, completed: 1 });
    expect(await run()).toMatchObject({ documents: 1, skipped: 1 });
  } finally {
    await fixture.close();
  }
});
