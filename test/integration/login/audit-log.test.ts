import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../../model/audit/entry';
import { createAuditLog } from '../../../services/audit/audit-log';
import { connectMongo } from '../../../services/storage/mongo';
import { useDatabase } from '../../support/system/database';

const mongo = useDatabase([]);

const user = `user-${randomUUID()}`;
const entry = (at: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  entry_id: randomUUID(),
  at,
  user,
  action: 'POST /api/v1/flows',
  target: { flow_id: 'f' },
  changed: [],
  outcome: 'OK',
  client_address: '127.0.0.1',
  trace: 't',
  ...more,
});

test('entries survive a round trip, latest first, also buffered ones', async () => {
  const log = createAuditLog(mongo, 365, () => undefined);
  const [one, two] = [entry('2026-10-01T00:00:00.000Z'), entry('2026-10-02T00:00:00.000Z', { outcome: 'FORBIDDEN' })];
  await log.write(one);
  log.note(two);
  expect(await log.list({ user }, { limit: 10, offset: 0 })).toEqual({ items: [two, one], total: 2 });
  expect((await log.list({ user, outcome: 'OK' }, { limit: 10, offset: 0 })).items).toEqual([one]);
  const range = { user, since: one.at, until: two.at };
  expect((await log.list(range, { limit: 10, offset: 0 })).items).toEqual([one]);
  const exported: AuditEntry[] = [];
  for await (const found of log.iterate({ user })) exported.push(found);
  expect(exported).toEqual([one, two]);
  await log.close();
});

test('buffered entries are stored at a clean shutdown, and old entries are removed', async () => {
  const old = entry('2020-01-01T00:00:00.000Z', { user: `${user}-old` });
  const keeping = createAuditLog(mongo, 100_000, () => undefined);
  keeping.note(old);
  await keeping.close();
  expect((await keeping.list({ user: old.user }, { limit: 1, offset: 0 })).total).toBe(1);
  const tidy = createAuditLog(mongo, 365, () => undefined);
  await tidy.write(entry(new Date().toISOString()));
  expect((await tidy.list({ user: old.user }, { limit: 1, offset: 0 })).total).toBe(0);
});

test('a repeated entry is stored once, and does not affect others', async () => {
  const log = createAuditLog(mongo, 100_000, () => undefined);
  const again = { user: `${user}-again` };
  const [one, two] = [entry('2026-10-01T00:00:00.000Z', again), entry('2026-10-02T00:00:00.000Z', again)];
  await log.write(one);
  log.note(one);
  log.note(two);
  expect((await log.list(again, { limit: 10, offset: 0 })).items).toEqual([two, one]);
});

test('entries that cannot be stored are counted', async () => {
  const away = connectMongo('mongodb://127.0.0.1:2/x?serverSelectionTimeoutMS=200');
  let lost = 0;
  const log = createAuditLog(away, 365, (entries) => (lost += entries));
  log.note(entry('2026-10-01T00:00:00.000Z'));
  await log.close();
  expect(lost).toBe(1);
  await away.close();
});
