import { readFreshness } from './access-freshness';

test.each([
  [{}, undefined],
  [{ when_access_stale: 'deny' }, undefined],
  [{ access_sync_minutes: 15 }, { everyMinutes: 15, closesAfterMinutes: 1_440 }],
  [
    { access_sync_minutes: 15, access_stale_hours: 2 },
    { everyMinutes: 15, closesAfterMinutes: 120 },
  ],
  [
    { access_sync_minutes: 1_440, access_stale_hours: 2 },
    { everyMinutes: 1_440, closesAfterMinutes: 2_880 },
  ],
  [{ access_sync_minutes: 15, when_access_stale: 'serve' }, { everyMinutes: 15 }],
])('%j', (config, freshness) => {
  expect(readFreshness(config)).toEqual(freshness);
});
