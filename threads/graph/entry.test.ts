import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { GraphOptions } from '../../model/graph/wire';
import type { GraphTask, ThreadCall, ThreadReply } from '../../services/graph/builder';
import { buildGraphFiles } from './entry';

type Unanswered = { value: unknown } | Omit<Extract<ThreadReply, { failure: unknown }>, 'id'>;
const template = {
  title: 'Note',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: { number: { type: 'string', description: 'Note number' } },
};
const model: GraphOptions = {
  backend: 'llm',
  extraction_contract: 'direct',
  gleaning_enabled: false,
  formats: ['json'],
};
let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-graph-'))));
afterEach(() => rmSync(folder, { recursive: true }));

async function build(change: Partial<GraphTask>, reply: (call: ThreadCall) => Unanswered = () => ({ value: null })) {
  const { port1, port2 } = new MessageChannel();
  const calls: ThreadCall[] = [];
  port1.on('message', (call: ThreadCall) => {
    calls.push(call);
    port1.postMessage({ id: call.id, ...reply(call) });
  });
  const answer = await buildGraphFiles({
    source: Buffer.from('Note number: N-1'),
    sourceType: 'markdown',
    sourceName: 'note.md',
    template: JSON.stringify({ template }),
    options: {},
    createdAt: '2026-01-02T03:04:05.678Z',
    finished: new Map(),
    folder,
    ...change,
    port: port2,
  });
  port1.close();
  return { answer, calls };
}
const answers = ({ hook }: ThreadCall): Unanswered =>
  hook === 'ask' ? { value: { text: '{"number": "N-2"}', isTruncated: false } } : { value: null };

test('answers are stored before the files are written, and stored ones are not requested again', async () => {
  const { answer, calls } = await build({ options: model }, answers);
  expect(answer).toMatchObject({ facts: { nodes: 1, edges: 0 } });
  expect(calls.map(({ hook }) => hook)).toEqual(['ask', 'done']);
  expect(readFileSync(path.join(folder, 'graph.json'), 'utf8')).toContain('N-2');
  const kept = calls.find(({ hook }) => hook === 'done');
  const { key, text } = (kept as Extract<ThreadCall, { hook: 'done' }>).argument;
  const again = await build({ options: model, finished: new Map([[key, text.replace('N-2', 'N-3')]]) });
  expect([again.calls, again.answer]).toEqual([[], expect.objectContaining({ facts: expect.anything() })]);
  expect(readFileSync(path.join(folder, 'graph.json'), 'utf8')).toContain('N-3');
});

test.each(['ask', 'done'] as const)('an external failure at %s is returned with its own code', async (failing) => {
  const failure = { code: 'LOCALMODEL_CONNECTION_FAILED', message: 'away', retryAfterMs: 7 } as const;
  const { answer } = await build({ options: model }, (call) => (call.hook === failing ? { failure } : answers(call)));
  expect(answer).toEqual({ failure });
});

test('a source without anything to find, a broken document and a wrong template are final', async () => {
  const { answer: nothing } = await build({ source: Buffer.from('Nothing.') });
  expect(nothing).toMatchObject({ failure: { code: 'GRAPH_EXTRACTION_FAILED', isFinal: true } });
  const { answer: broken } = await build({ source: Buffer.from('{"schema_name": '), sourceType: 'document' });
  expect(broken).toMatchObject({ failure: { message: expect.any(String) } });
  const { answer: wrong } = await build({ template: '{"template": {"type": "object"}}' });
  expect(wrong).toMatchObject({ failure: { code: 'GRAPH_CONFIGURATION_INVALID' } });
});

test('the same task gives the same bytes', async () => {
  const options: GraphOptions = {
    formats: ['json', 'csv', 'cypher', 'report', 'html', 'gexf', 'graphml', 'turtle', 'jsonld'],
  };
  const { answer } = await build({ options });
  const { files } = (answer as { facts: { files: { name: string }[] } }).facts;
  const first = files.map(({ name }) => readFileSync(path.join(folder, name), 'utf8'));
  await build({ options });
  expect(files.map(({ name }) => readFileSync(path.join(folder, name), 'utf8'))).toEqual(first);
});
