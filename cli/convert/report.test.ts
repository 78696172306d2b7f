import { type ConvertedFile, findFailureCode, formatReport, computeTotals } from './report';

const file = (source: string, status: ConvertedFile['status'], messages: string[] = []): ConvertedFile => ({
  source,
  status,
  format: status === 'failure' ? null : 'docx',
  pages: status === 'success' ? 2 : 0,
  seconds: 0.25,
  outputs: [],
  replaced: 0,
  messages,
});

describe('formatReport', () => {
  test('lists each file with its outcome, then the counts', () => {
    const files = [
      file('a.docx', 'success'),
      { ...file('long-name.pdf', 'failure', ['It is damaged.', 'More.']), code: 'DOCUMENT_CORRUPT' },
    ];
    expect(formatReport(files, computeTotals(files, 1.5))).toBe(
      [
        'done    a.docx         docx  2 p.  0.25 s',
        'FAILED  long-name.pdf  -           0.25 s',
        '        It is damaged. (DOCUMENT_CORRUPT)',
        '        More.',
        '1 of 2 converted, 1 failed, 2 pages, 1.5 s',
        '',
      ].join('\n'),
    );
  });

  test('prints where outputs were written and how many files were replaced', () => {
    const files = [{ ...file('a.docx', 'success'), outputs: ['out/a.md', 'out/a.json'], replaced: 1 }];
    expect(formatReport(files, computeTotals(files, 1))).toBe(
      'done  a.docx  docx  2 p.  0.25 s  -> out/a.md, out/a.json\n1 of 1 converted, 1 file replaced, 2 pages, 1.0 s\n',
    );
  });

  test('lists only files with messages when there are many', () => {
    const files = [
      ...Array.from({ length: 60 }, (_, index) => file(`${index}.docx`, 'success')),
      file('bad.docx', 'failure'),
      file('x.bin', 'skipped'),
    ];
    const lines = formatReport(files, computeTotals(files, 3), 'out').trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('bad.docx'),
      '60 of 62 converted into out, 1 failed, 1 skipped, 120 pages, 3.0 s',
    ]);
  });
});

test('every failure has a code', () => {
  expect(findFailureCode({ status: 'failure', failureCode: 'DOCUMENT_CORRUPT' }, false)).toBe('DOCUMENT_CORRUPT');
  expect(findFailureCode({ status: 'skipped' }, true)).toBe('FORMAT_UNSUPPORTED');
  // A server names none, and neither do outputs that cannot be written.
  expect(findFailureCode({ status: 'failure' }, false)).toBe('CONVERSION_FAILED');
  expect(findFailureCode({ status: 'skipped' }, false)).toBeUndefined();
  expect(findFailureCode({ status: 'partial_success' }, false)).toBeUndefined();
});

test('control characters of file names are escaped', () => {
  const files: ConvertedFile[] = [
    {
      source: 'new\nline\u001b[2J\u007f.md',
      status: 'failure',
      format: 'md',
      pages: 1,
      seconds: 1,
      outputs: [],
      replaced: 0,
      messages: ['a\tb'],
    },
  ];
  expect(formatReport(files, computeTotals(files, 1)).split('\n').slice(0, 2)).toEqual([
    'FAILED  new\\nline\\u001b[2J\\u007f.md  md  1 p.  1.00 s',
    '        a\\tb',
  ]);
});
