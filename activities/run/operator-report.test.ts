import { operators } from '../../operators';
import { documentRow } from '../../test/support/operators/operator-test-support';
import { buildReport } from './operator-report';

const call = { runId: 'r', operator: 'o', inputs: [], part: '0' };

test('pages are counted once: by the operator that reads documents, and by none that passes their number on', () => {
  const rows = [{ ...documentRow('a', 'one'), pages_processed: 3 }];
  const counting = operators.filter(
    (operator) => buildReport(operator, call, { input: rows, result: { rows }, seconds: 1 }).report.pages > 0,
  );
  expect(counting.map(({ name }) => name)).toEqual(['extract_operator']);
});
