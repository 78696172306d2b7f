import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { createClient } from '../../client';
import type { WebhookCreated, WebhookDelivery } from '../../model/webhook/wire';
import { createTokens } from '../../services/login/tokens';
import { documentsIn, indexing, reading } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

const signingKey = 'signing key of the webhook test, long enough';
interface Message {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
let system: System;
let address: string;
let receiver: Server;
let port: number;
const received: Message[] = [];
/** The statuses of the next answers, by path; 204 when there are none left. */
const answers = new Map<string, number[]>();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answers.get(path)?.shift() ?? 204, { Location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  ({ port } = receiver.address() as AddressInfo);
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: `127.0.0.1:${port}`,
    DOCLOOM_CONNECTION_KEYS: randomBytes(32).toString('base64'),
  });
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: signingKey }), system.startWorker()]);
});
afterAll(async () => {
  receiver.close();
  await system.stop();
});

const getClient = (username: string) => {
  const tokens = createTokens({ secret: signingKey, expireMinutes: 5 });
  return createClient({
    baseUrl: address,
    token: tokens.issue({ username, email: '', full_name: '', groups: [] }),
  });
};
const getMessages = (path: string) => received.filter((message) => message.path === path);
const getEvents = (path: string) => getMessages(path).map(({ body }) => (JSON.parse(body) as { event: string }).event);
async function waitForDelivery({ webhook_id }: WebhookCreated): Promise<WebhookDelivery> {
  let last: WebhookDelivery | undefined;
  await until('the message is delivered or given up', async () => {
    [last] = (await getClient('alice').webhooks.deliveries(webhook_id)).items;
    return last !== undefined && last.status !== 'pending';
  });
  return last as WebhookDelivery;
}

test('a message is signed, resent until it is accepted, and its attempts are listed', async () => {
  const alice = getClient('alice');
  const webhook = await alice.webhooks.create({ url: `http://127.0.0.1:${port}/ping`, events: ['run.ended'] });
  answers.set('/ping', [500]);
  const { delivery_id } = await alice.webhooks.test(webhook.webhook_id);
  expect(await waitForDelivery(webhook)).toMatchObject({
    delivery_id,
    event: 'ping',
    status: 'delivered',
    attempts: [{ status_code: 500 }, { status_code: 204 }],
  });
  const messages = getMessages('/ping');
  expect(messages.map(({ headers }) => headers['x-docloom-delivery'])).toEqual([delivery_id, delivery_id]);
  for (const { headers, body } of messages) {
    const timestamp = String(headers['x-docloom-timestamp']);
    const expected = createHmac('sha256', webhook.secret).update(`${timestamp}.${body}`).digest('hex');
    expect(headers['x-docloom-signature']).toBe(`sha256=${expected}`);
    expect(Math.abs(Date.now() / 1_000 - Number(timestamp))).toBeLessThan(600);
  }
});

test('redirects are not followed, and a receiver that rejects is not called again', async () => {
  const alice = getClient('alice');
  for (const status of [302, 410]) {
    const path = `/rejects-${status}`;
    const webhook = await alice.webhooks.create({ url: `http://127.0.0.1:${port}${path}`, events: ['run.ended'] });
    answers.set(path, [status, status]);
    await alice.webhooks.test(webhook.webhook_id);
    expect(await waitForDelivery(webhook)).toMatchObject({ status: 'failed', attempts: [{ status_code: status }] });
    expect(getMessages(path)).toHaveLength(1);
  }
  expect(getMessages('/elsewhere')).toEqual([]);
});

test('addresses that may not be reached are rejected without a reason', async () => {
  const alice = getClient('alice');
  const messages = new Set<string>();
  for (const host of ['127.0.0.1:1', 'localhost:1', '10.0.0.1', '169.254.169.254', '[::1]', '[fd00::1]']) {
    const creation = alice.webhooks.create({ url: `http://${host}/x`, events: ['run.ended'] });
    const error = (await creation.catch((reason: unknown) => reason)) as { code: string; message: string };
    expect(error.code).toBe('ADDRESS_INVALID');
    messages.add(error.message.replace(/'[^']*' with port \d+/, 'HOST'));
  }
  expect([...messages]).toHaveLength(1);
});

test('only the owner of a run is notified of its end and of failed documents, without their text', async () => {
  const alice = getClient('alice');
  const bob = getClient('bob');
  const events = ['run.ended' as const, 'document.failed' as const, 'rights.changed' as const];
  await alice.webhooks.create({ url: `http://127.0.0.1:${port}/alice`, events });
  await bob.webhooks.create({ url: `http://127.0.0.1:${port}/bob`, events });
  const documents = documentsIn(
    system,
    'docs',
    { 'lynx.md': '# Lynx\n\nA canary in the text.', 'broken.pdf': '%PDF-1.7\nA canary in a damaged file.' },
    { allowed_users: ['alice'] },
  );
  const { flow_id } = await alice.flows.create({
    flow_name: 'notified',
    flow: [...reading(documents), ...indexing(system, 'notified')],
  });
  const { job_run_id } = await alice.jobRuns.create({ flow_id });
  await until('both events arrived', () => getEvents('/alice').length >= 2);
  expect(getEvents('/alice').toSorted()).toEqual(['document.failed', 'run.ended']);
  const getData = (event: string) => {
    const bodies = getMessages('/alice').map(({ body }) => JSON.parse(body) as { event: string; data: object });
    return bodies.find((body) => body.event === event)?.data;
  };
  expect(getData('run.ended')).toMatchObject({ job_run_id, flow_id, status: 'COMPLETED_WITH_ERRORS' });
  expect(getData('document.failed')).toMatchObject({
    job_run_id,
    documents: [{ name: 'broken.pdf', operator: 'extract', code: 'DOCUMENT_CORRUPT' }],
  });
  await alice.flows.patch(flow_id, { readers: ['bob'] });
  await until('the change of rights arrived', () => getEvents('/alice').includes('rights.changed'));
  expect(getData('rights.changed')).toMatchObject({ target: { flow_id }, changed: ['readers'], changed_by: 'alice' });
  expect(JSON.stringify(received)).not.toContain('canary');
  expect(getMessages('/bob')).toEqual([]);
});

test('the secret is stored encrypted and never shown again; others do not see the webhook', async () => {
  const alice = getClient('alice');
  const { secret, webhook_id } = await alice.webhooks.create({
    url: `http://127.0.0.1:${port}/kept`,
    events: ['run.ended'],
  });
  const shown = JSON.stringify([await alice.webhooks.get(webhook_id), await alice.webhooks.list()]);
  const client = new MongoClient(system.env['MONGODB_URL'] ?? '');
  const stored = JSON.stringify(await client.db().collection('webhooks').find({}).toArray());
  await client.close();
  expect(stored).toContain(webhook_id);
  for (const text of [shown, stored]) expect(text).not.toContain(secret);
  await expect(getClient('bob').webhooks.get(webhook_id)).rejects.toMatchObject({ status: 404 });
  await expect(getClient('bob').webhooks.test(webhook_id)).rejects.toMatchObject({ status: 404 });
});
