import { randomBytes } from 'node:crypto';
import { formatSchedulePlace } from '../../services/flow/schedules';
import { createSealer } from '../../services/storage/sealing/sealer';
import { readConfiguration, requireOwner } from './make-scheduled-run';

const sealer = createSealer(() => [key]);
const key = randomBytes(32).toString('base64');
const input = { ingest: { api_key: 'secret' } };
const toRecord = (stored?: Record<string, unknown>) => ({
  schedules: { readConfiguration: async () => stored },
  sealer,
});

test('the record of the schedule takes precedence over the configuration that an earlier version stored in Temporal', async () => {
  const other = createSealer(() => [randomBytes(32).toString('base64')]);
  const configuration = other.seal({ old: input }, formatSchedulePlace('s'));
  expect(await readConfiguration(toRecord(input), { scheduleId: 's', configuration })).toEqual(input);
  expect(await readConfiguration(toRecord(input), { scheduleId: 's' })).toEqual(input);
});

test('without a record, the record of an earlier version is used; a deleted schedule has none', async () => {
  const configuration = sealer.seal(input, formatSchedulePlace('s'));
  expect(configuration).not.toEqual(input);
  expect(await readConfiguration(toRecord(), { scheduleId: 's', configuration })).toEqual(input);
  await expect(readConfiguration(toRecord(), { scheduleId: 's' })).rejects.toMatchObject({
    code: 'SCHEDULE_NOT_FOUND',
  });
});

test('a service account that was removed starts no scheduled run; people do without groups too', async () => {
  const readers = {
    find: async (username: string) =>
      username === 'service:nightly' ? { username, principals: ['user:service:nightly'] } : { username },
  };
  await expect(requireOwner({ readers }, 'service:gone')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(requireOwner({ readers }, 'service:nightly')).resolves.toBeUndefined();
  await expect(requireOwner({ readers }, 'alice')).resolves.toBeUndefined();
});
