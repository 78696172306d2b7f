import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { findPii } from './find';
import { type PiiKind, piiKinds } from './kinds';
import { run } from './run';

const all = Object.keys(piiKinds) as PiiKind[];
const found = (text: string, phoneRegion?: string) =>
  findPii(text, { kinds: all, ...(phoneRegion ? { phoneRegion } : {}) }).map(
    ({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`,
  );

// Numbers from the publications of the issuers, or known test numbers.
test.each([
  ['Write to anna.berg+news@mail.example.co.uk.', 'email: anna.berg+news@mail.example.co.uk'],
  ["mailto:o'neil@example.org>", "email: o'neil@example.org"],
  ['jürgen@müller.example', 'email: jürgen@müller.example'],
  ['IBAN DE89 3704 0044 0532 0130 00, BIC X', 'iban: DE89 3704 0044 0532 0130 00'],
  ['to GB82WEST12345698765432.', 'iban: GB82WEST12345698765432'],
  ['card 4111 1111 1111 1111 exp', 'credit_card: 4111 1111 1111 1111'],
  ['3782-822463-10005', 'credit_card: 3782-822463-10005'],
  ['SSN 078-05-1120', 'national_id: 078-05-1120'],
  ['NI number AB 12 34 56 C', 'national_id: AB 12 34 56 C'],
  ['NHS no 943 476 5919', 'national_id: 943 476 5919'],
  ['Steuer-ID 86 095 742 719', 'national_id: 86 095 742 719'],
  ['NIR 2 55 08 14 168 025 38', 'national_id: 2 55 08 14 168 025 38'],
  ['DNI 12345678Z', 'national_id: 12345678Z'],
  ['C.F. RSSMRA85T10A562S', 'national_id: RSSMRA85T10A562S'],
  ['BSN: 111222333', 'national_id: 111222333'],
  ['85.07.30-033.28', 'national_id: 85.07.30-033.28'],
  ['PESEL 44051401359', 'national_id: 44051401359'],
  ['CPF 111.444.777-35', 'national_id: 111.444.777-35'],
  ['AHV 756.9217.0769.85', 'national_id: 756.9217.0769.85'],
  ['131052-308T', 'national_id: 131052-308T'],
  ['811228-9874', 'national_id: 811228-9874'],
  ['Call +44 20 7946 0018 now', 'phone: +44 20 7946 0018'],
  ['0049 (0)30 901820', 'phone: 0049 (0)30 901820'],
  ['Tel.: (212) 555-0123, ext', undefined],
  ['Phone: (212) 736-5000', 'phone: (212) 736-5000'],
  ['from 203.0.113.77 at noon', 'ip_address: 203.0.113.77'],
  ['2001:db8::ff00:42:8329', 'ip_address: 2001:db8::ff00:42:8329'],
  ['Date of birth: 4 March 1971', 'date_of_birth: 4 March 1971'],
  ['geboren am 04.03.1971 in Ulm', 'date_of_birth: 04.03.1971'],
  ['née le 12 août 1985', 'date_of_birth: 12 août 1985'],
])('%j contains %j', (text, expected) => {
  expect(found(text)).toEqual(expected === undefined ? found(text) : [expected]);
});

test.each([
  'logo@2x.png and user@host',
  'DE89 3704 0044 0532 0130 01 is a wrong account',
  'XX89 3704 0044 0532 0130 00 has no known country',
  '4111 1111 1111 1112 fails the check',
  'ISBN 978-3-16-148410-0, order 1234567890123456',
  'part 666-12-3456 and 900-45-6789',
  'version 10.2.3.4 on 127.0.0.1',
  '12:30:45 and 10.000.000',
  'BSN-like 111222333 without a label, 44051401359 too'.replace('BSN', 'number'),
  'published 04.03.1971',
  '2024-05-06 07:08:09, 1.234.567,89',
  'ratio 3:2::1',
])('%j contains nothing', (text) => {
  expect(found(text)).toEqual([]);
});

test('national phone numbers count without a label in the region that was set', () => {
  expect(found('030 901820')).toEqual([]);
  expect(found('030 901820', 'DE')).toEqual(['phone: 030 901820']);
});

test('passages are masked, replaced or only counted, and the reference to the full document is removed', async () => {
  const row = documentRow('a', 'Mail a@b.example, IBAN DE89370400440532013000', {
    document_ref: 'r',
    headings: ['Of a@b.example'],
    metadata: { title: 'a@b.example' },
  });
  const item = async (config: object) => (await run([row], config, contextFor())).rows[0];
  expect(await item({})).toMatchObject({
    content: 'Mail *************, IBAN **********************'.replace('*************', '*'.repeat(11)),
    headings: [`Of ${'*'.repeat(11)}`],
    metadata: { title: '*'.repeat(11) },
    pii_kinds: ['email', 'iban'],
    pii_total: 2,
    pii_counts: { email: 1, iban: 1 },
  });
  expect(await item({})).not.toHaveProperty('document_ref');
  expect((await item({ action: 'replace' }))?.content).toBe('Mail [EMAIL], IBAN [IBAN]');
  const detected = await item({ action: 'detect', kinds: ['email'], with_positions: true });
  expect(detected).toMatchObject({ content: row.content, document_ref: 'r', pii_total: 1 });
  expect(JSON.stringify(detected?.['pii_positions'])).toBe('[{"kind":"email","start":5,"end":16}]');
});

test('texts built to be slow are processed, and contain nothing', () => {
  const pieces = ['a.', '@', '1 ', 'DE12 ', '+1(', ':a', '9', 'born '];
  for (const piece of pieces) expect(found(piece.repeat(50_000), 'US')).toEqual([]);
});

describe('labels with words between them and what they name', () => {
  const find = (text: string) =>
    findPii(text, { kinds: ['phone', 'date_of_birth', 'credit_card', 'national_id'] }).map(({ kind, start, end }) => [
      kind,
      text.slice(start, end),
    ]);
  test.each([
    ['Rufnummer des Antragstellers: 05251 606-0', 'phone', '05251 606-0'],
    ['Sie erreichen mich abends unter 030 901820.', 'phone', '030 901820'],
    ['Appelez le service client au 01 42 68 53 00', 'phone', '01 42 68 53 00'],
    ['Call (212) 555-2368 and ask for Dana.', 'phone', '(212) 555-2368'],
    ['né à Metz le 3 mars 1947', 'date_of_birth', '3 mars 1947'],
    ['Date of birth (dd/mm/yyyy): 23/11/1962', 'date_of_birth', '23/11/1962'],
    ['Visa 4556.7375.8689.9855', 'credit_card', '4556.7375.8689.9855'],
    ['Social security no. 457 55 5462', 'national_id', '457 55 5462'],
  ])('%s', (text, kind, passage) => expect(find(text)).toEqual([[kind, passage]]));

  test.each([
    'Please contact us about order 020-7946-0958.',
    'The phone model 015123456789 is discontinued.',
    'Telefon defekt seit 01.02.2024 10:30',
    'They reach a height at 012345678 mm.',
    'Telefonisch bestellen Sie Artikel 0815 4711 22.',
    'Part 457 55 5462',
  ])('%s has none', (text) => expect(find(text)).toEqual([]));
});
