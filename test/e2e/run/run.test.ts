import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readConfig } from '../../../model/config';
import { createRunsStore } from '../../../services/run/runs-store';
import type { Search } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { connectMongo } from '../../../services/storage/mongo';
import { workflowOfRun } from '../../support/system/evidence';
import { createDoor, createSystem, type System, until } from '../../support/system/system';

const user = (username: string) => ({ username, email: '', full_name: '', groups: [] });

/** Writes a flow next to a folder `docs` and returns its path. */
function writeFlow(system: System, name: string, options: { global?: object; operators?: object[] } = {}): string {
  mkdirSync(path.join(system.folder, 'docs'), { recursive: true });
  const file = path.join(system.folder, `${name}.json`);
  const chain = [
    {
      type: 'ingest_source',
      name: 'ingest',
      config: { provider: 'filesystem', connection_params: { paths: ['docs'] } },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
    ...(options.operators ?? []),
    {
      type: 'chunker',
      name: 'chunk',
      depends_on: [options.operators ? 'filter' : 'extract'],
      config: { chunk_type: 'simple', chunk_size: 200, chunk_overlap: 0 },
    },
    { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
    {
      type: 'vectordb',
      name: 'index',
      depends_on: ['embed'],
      config: { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${name}` },
    },
  ];
  writeFileSync(
    file,
    JSON.stringify({
      flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
      global_config: options.global ?? {},
      flow: chain,
    }),
  );
  return file;
}

function writeDocument(system: System, name: string, text: string): string {
  const file = path.join(system.folder, 'docs', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function found(search: Search, username: string, query: string): Promise<string[]> {
  const { documents } = await search.search(user(username), { query, limit: 100 });
  return [...new Set(documents.map(({ metadata }) => String(metadata['name'])))].sort();
}

describe('a run over a folder', () => {
  let system: System;
  let search: Search;
  beforeAll(async () => {
    system = createSystem();
    search = createSearch(readConfig(system.env));
    await system.startWorker();
  });
  afterAll(async () => {
    await search.close();
    await system.stop();
  });

  test('documents are indexed for the readers in their access list, unchanged ones are skipped, changes are followed', async () => {
    const flow = writeFlow(system, 'follow');
    writeDocument(system, 'alpha.md', '# Alpha\n\nzebra one');
    writeDocument(system, 'beta.txt', 'zebra two');
    writeDocument(system, 'secret/gamma.html', '<h1>Gamma</h1><p>zebra three</p>');
    writeDocument(system, 'secret/.acl.json', JSON.stringify({ allowed_users: ['bob'] }));
    writeDocument(system, 'broken.docx', 'this is not a zip archive');

    const first = await system.run(flow, '--user', 'alice');
    expect(first.code).toBe(3);
    expect(first.report).toMatchObject({
      status: 'COMPLETED_WITH_ERRORS',
      totals: { documents: 4, completed: 3, failed: 1, skipped: 0 },
    });
    expect(first.report.failures).toMatchObject([{ name: 'broken.docx', operator: 'extract' }]);
    expect(await found(search, 'alice', 'zebra')).toEqual(['alpha.md', 'beta.txt']);
    expect(await found(search, 'bob', 'zebra')).toEqual(['gamma.html']);
    expect(await found(search, 'carol', 'zebra')).toEqual([]);

    const second = await system.run(flow, '--user', 'alice');
    expect(second.report.totals).toMatchObject({ documents: 4, skipped: 3, failed: 1, completed: 0 });

    const alpha = writeDocument(system, 'alpha.md', '# Alpha\n\ngiraffe one');
    utimesSync(alpha, new Date(), new Date(Date.now() + 5_000));
    rmSync(path.join(system.folder, 'docs', 'beta.txt'));
    rmSync(path.join(system.folder, 'docs', 'broken.docx'));
    writeDocument(system, 'secret/.acl.json', JSON.stringify({ allowed_users: ['carol'] }));
    const third = await system.run(flow, '--user', 'alice');
    expect(third.report.totals).toMatchObject({ documents: 2, completed: 2, failed: 0 });
    expect(third.report.totals.deleted).toBeGreaterThanOrEqual(1);
    expect(await found(search, 'alice', 'giraffe')).toEqual(['alpha.md']);
    expect(await found(search, 'alice', 'zebra')).toEqual([]);
    expect(await found(search, 'bob', 'zebra')).toEqual([]);
    expect(await found(search, 'carol', 'zebra')).toEqual(['gamma.html']);
  });

  test('an empty folder completes with warnings and zero documents', async () => {
    const flow = writeFlow(system, 'empty');
    mkdirSync(path.join(system.folder, 'nothing'));
    const { code, report } = await system.run(
      flow,
      '--set',
      `ingest={"connection_params":{"paths":["${path.join(system.folder, 'nothing')}"]}}`,
    );
    expect(code).toBe(0);
    expect(report).toMatchObject({ status: 'COMPLETED_WITH_WARNINGS', totals: { documents: 0 } });
  });

  test('a missing folder fails the run with SOURCE_NOT_FOUND and its name', async () => {
    const flow = writeFlow(system, 'missing');
    const { code, report } = await system.run(
      flow,
      '--set',
      `ingest={"connection_params":{"paths":["${path.join(system.folder, 'nowhere')}"]}}`,
    );
    expect(code).toBe(1);
    expect(report).toMatchObject({ status: 'FAILED', message: expect.stringMatching(/^SOURCE_NOT_FOUND: .*nowhere/) });
  });

  test('a failed run counts the documents that had failed before', async () => {
    const filter = { filter_criteria: 'SELECT * FROM input WHERE CAST(name AS INTEGER) = 1' };
    const flow = writeFlow(system, 'fails', {
      operators: [{ type: 'sql_filter', name: 'filter', depends_on: ['extract'], config: filter }],
    });
    writeDocument(system, '../fails/broken.docx', 'this is not a zip archive');
    writeDocument(system, '../fails/fine.md', '# Fine');
    const paths = [path.join(system.folder, 'fails')];
    const { code, report } = await system.run(
      flow,
      '--set',
      `ingest=${JSON.stringify({ connection_params: { paths } })}`,
    );
    expect(code).toBe(1);
    expect(report).toMatchObject({
      status: 'FAILED',
      message: expect.stringMatching(/^SQL_FILTER_ERROR: /),
      totals: { documents: 2, completed: 0, failed: 1 },
    });
  });

  test('an invalid flow never starts', async () => {
    const flow = writeFlow(system, 'invalid', {
      operators: [{ type: 'magic', name: 'filter', depends_on: ['extract'] }],
    });
    const { code, stdout, stderr } = await system.spawn(['run', flow, '--json']).result;
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, code: 'FLOW_VALIDATION_FAILED' });
    expect(stderr).toContain('OPERATOR_NOT_AVAILABLE');
  });

  test('a failing filter fails the run and nothing is indexed', async () => {
    const flow = writeFlow(system, 'filtered', {
      operators: [
        {
          type: 'sql_filter',
          name: 'filter',
          depends_on: ['extract'],
          config: { filter_criteria: 'SELECT * FROM input WHERE CAST(name AS INTEGER) = 1' },
        },
      ],
    });
    writeDocument(system, 'okapi.md', 'okapi');
    const { code, report } = await system.run(flow, '--user', 'dora');
    expect(code).toBe(1);
    expect(report.message).toContain('SQL_FILTER_ERROR');
    expect(await found(search, 'dora', 'okapi')).toEqual([]);
  });

  test('Ctrl-C cancels the run, waits for CANCELED and exits 130', async () => {
    const flow = writeFlow(system, 'cancel', { global: { micro_batch_size: 5, max_concurrent_batches: 1 } });
    for (let index = 0; index < 120; index += 1)
      writeDocument(system, `many/${index}.md`, `# ${index}\n\ntext ${index}`);
    const { child, result } = system.spawn(['run', flow]);
    await until('the run extracts', async () =>
      (await getState(system)).some(({ name, documents }) => name === 'extract' && documents > 0),
    );
    const asked = Date.now();
    child.kill('SIGINT');
    const { code, stdout } = await result;
    expect(code).toBe(130);
    expect(stdout).toContain('CANCELED');
    expect(Date.now() - asked).toBeLessThan(20_000);
  });

  test('a terminated workflow leaves a CRASHED run, and the next run of the job continues', async () => {
    const flow = writeFlow(system, 'crash', { global: { micro_batch_size: 5, max_concurrent_batches: 1 } });
    const { result } = system.spawn(['run', flow, '--json']);
    await until('the run extracts', async () =>
      (await getState(system)).some(({ name, documents }) => name === 'extract' && documents > 0),
    );
    const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] });
    const { workflow } = new Client({ connection });
    const id = await workflowOfRun(workflow, (await latestRun(system)).job_run_id);
    await workflow.getHandle(id).terminate('by a test');
    await connection.close();
    const { code, stdout } = await result;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'CRASHED' });
    const next = await system.run(flow);
    expect(next.report.status).toBe('COMPLETED');
  });

  async function latestRun(of: System) {
    const mongo = connectMongo(of.env['MONGODB_URL'] ?? '');
    try {
      const [run] = await mongo
        .collection<{ _id: string }>('job_runs')
        .find()
        .sort({ created_at: -1 })
        .limit(1)
        .toArray();
      return { job_run_id: run?._id ?? '' };
    } finally {
      await mongo.close();
    }
  }

  async function getState(of: System) {
    const mongo = connectMongo(of.env['MONGODB_URL'] ?? '');
    try {
      const [run] = await mongo
        .collection<{ _id: string; status: string }>('job_runs')
        .find()
        .sort({ created_at: -1 })
        .limit(1)
        .toArray();
      return run?.status === 'RUNNING' ? await createRunsStore(mongo).readOperatorStats(run._id) : [];
    } finally {
      await mongo.close();
    }
  }
});

describe('faults', () => {
  test('a worker killed in the middle of a run is replaced: the run completes and every document is indexed exactly once', async () => {
    const system = createSystem();
    const search = createSearch(readConfig(system.env));
    try {
      const worker = await system.startWorker();
      const flow = writeFlow(system, 'killed', { global: { micro_batch_size: 5, max_concurrent_batches: 2 } });
      const names = Array.from({ length: 60 }, (_, index) => `doc-${String(index).padStart(2, '0')}.md`);
      for (const name of names) writeDocument(system, name, `# ${name}\n\nantelope`);
      const running = system.run(flow, '--user', 'alice');
      // In the moment in which an index is made the engine has no shard to ask.
      const indexed = () => found(search, 'alice', 'antelope').catch(() => []);
      await until('some documents are indexed', async () => (await indexed()).length > 5);
      worker.kill('SIGKILL');
      await system.startWorker();
      const { report } = await running;
      expect(report).toMatchObject({ status: 'COMPLETED', totals: { documents: 60, completed: 60, failed: 0 } });
      const { documents, total } = await search.search(user('alice'), { query: 'antelope', limit: 100 });
      expect(total).toBe(60);
      expect(documents.map(({ metadata }) => String(metadata['name'])).sort()).toEqual(names);
    } finally {
      await search.close();
      await system.stop();
    }
  });

  test('a run waits while OpenSearch is unavailable and finishes when it is back', async () => {
    const door = await createDoor(
      process.env['SEARCH_HOST'] ?? '127.0.0.1',
      Number(process.env['SEARCH_PORT'] ?? 9200),
    );
    const system = createSystem({ SEARCH_HOST: '127.0.0.1', SEARCH_PORT: String(door.port) });
    const search = createSearch(readConfig(system.env));
    try {
      await system.startWorker();
      const flow = writeFlow(system, 'away');
      writeDocument(system, 'heron.md', 'heron');
      door.shut();
      const running = system.run(flow, '--user', 'alice');
      await expect(search.search(user('alice'), {})).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
      await until('the run waits in Temporal for OpenSearch', async () => waitsFor(system, 'SEARCH_CONNECTION_FAILED'));
      await until('the run says so', async () => {
        const message = await latestMessage(system);
        return /^'\w+' waits for a service that is unreachable\. SEARCH_CONNECTION_FAILED: .* Waiting since 20\S+Z, until 20\S+Z at the latest\.$/.test(
          message,
        );
      });
      await door.open();
      const { report } = await running;
      expect(report).toMatchObject({ status: 'COMPLETED', message: '', totals: { completed: 1 } });
      expect(await found(search, 'alice', 'heron')).toEqual(['heron.md']);
    } finally {
      await search.close();
      await system.stop();
      door.close();
    }
  });

  test('the second of two runs of one job stays QUEUED until the first has ended', async () => {
    const system = createSystem();
    try {
      const flow = writeFlow(system, 'twice');
      writeDocument(system, 'ibis.md', 'ibis');
      const both = [system.run(flow), system.run(flow)];
      await system.startWorker();
      const reports = (await Promise.all(both)).map(({ report }) => report);
      expect(reports.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
      expect(reports.map(({ totals }) => totals.completed).sort((left, right) => left - right)).toEqual([0, 1]);
    } finally {
      await system.stop();
    }
  });

  test('two workers with a folder each share a run through an object store', async () => {
    const system = createSystem({ DOCLOOM_STORAGE: 's3', DOCLOOM_S3_BUCKET: `e2e-${Date.now()}` });
    try {
      await system.startWorker({ DOCLOOM_DATA: path.join(system.folder, 'first') });
      await system.startWorker({ DOCLOOM_DATA: path.join(system.folder, 'second') });
      const flow = writeFlow(system, 'shared', { global: { micro_batch_size: 2, max_concurrent_batches: 4 } });
      for (let index = 0; index < 24; index += 1) writeDocument(system, `${index}.md`, `# ${index}\n\nkudu`);
      const { report } = await system.run(flow, '--user', 'alice');
      expect(report).toMatchObject({ status: 'COMPLETED', totals: { completed: 24 } });
      expect(existsSync(path.join(system.folder, '.docloom', 'run'))).toBe(false);
    } finally {
      await system.stop();
    }
  });

  async function latestMessage(system: System): Promise<string> {
    const mongo = connectMongo(system.env['MONGODB_URL'] ?? '');
    try {
      const page = { limit: 1, offset: 0, everyone: true };
      const { items } = await createRunsStore(mongo).list(user('alice'), page);
      return items[0]?.message ?? '';
    } finally {
      await mongo.close();
    }
  }

  async function waitsFor(system: System, code: string): Promise<boolean> {
    const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] });
    try {
      const client = new Client({ connection });
      for await (const { workflowId } of client.workflow.list({
        query: `TaskQueue = '${await system.queuePrefix()}-flow' AND ExecutionStatus = 'Running'`,
      })) {
        const { raw } = await client.workflow.getHandle(workflowId).describe();
        for (const activity of raw.pendingActivities ?? []) {
          const details = activity.heartbeatDetails?.payloads?.[0]?.data;
          if (details && Buffer.from(details).toString().includes(code)) return true;
        }
      }
      return false;
    } finally {
      await connection.close();
    }
  }
});
