import { describeWait, listOutages } from './run-waits';

const wait = (operator: string, part: string, minute: string) => ({
  operator,
  part,
  code: 'SEARCH_CONNECTION_FAILED',
  message: 'OpenSearch does not answer.',
  since: `2026-01-02T12:${minute}:00.000Z`,
});

test('each operator is listed once, with its earliest wait and without the part', () => {
  const outages = listOutages([wait('index', 'p1', '05'), wait('index', 'p2', '03'), wait('embed', 'p1', '04')]);
  expect(outages).toEqual([
    expect.objectContaining({ operator: 'index', since: '2026-01-02T12:03:00.000Z' }),
    expect.objectContaining({ operator: 'embed' }),
  ]);
  expect(outages.some((outage) => 'part' in outage)).toBe(false);
  expect(listOutages()).toEqual([]);
});

test('the message names operator, code and times, and is empty without a wait', () => {
  const until = '2026-01-03T12:03:00.000Z';
  expect(describeWait([{ ...wait('index', 'p1', '03'), until }])).toBe(
    `'index' waits for a service that is unreachable. SEARCH_CONNECTION_FAILED: OpenSearch does not answer. Waiting since 2026-01-02T12:03:00.000Z, until ${until} at the latest.`,
  );
  expect(describeWait([])).toBe('');
  // Parts report in any order; the message must not change with it.
  const waits = [wait('index', 'p2', '05'), wait('index', 'p1', '03')];
  expect(describeWait(waits)).toBe(describeWait(waits.toReversed()));
  expect(describeWait(waits)).toContain('Waiting since 2026-01-02T12:03:00.000Z.');
});
