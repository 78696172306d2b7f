import { listCodes } from './codes';

test.each([
  ['PO-1', ['po-1']],
  ['Invoice INV-2024-001.', ['inv-2024-001']],
  ['inv/2024/001', ['inv-2024-001']],
  ['INV 2024-001, see PO 7', ['2024-001', 'inv-2024-001', 'po-7']],
  ['INV2024-001', ['inv-2024-001']],
  ['RTX3080', ['rtx-3080']],
  ['PO\u20111 and PO\u20132', ['po-1', 'po-2']],
  ['PO-1/PO-2', ['po-1-po-2', 'po-1', 'po-2']],
  ['05.03.2024', ['05-03-2024']],
  ['a well-known, self-made name', []],
  ['1001', []],
  ['', []],
])('the identifiers of %j', (text, codes) => {
  expect(listCodes(text).toSorted()).toEqual(codes.toSorted());
});

test('a text of a megabyte with one long identifier is read at once', () => {
  const began = process.cpuUsage();
  expect(listCodes('a-1-'.repeat(250_000))).toEqual([]);
  expect(process.cpuUsage(began).user).toBeLessThan(3_000_000);
});
