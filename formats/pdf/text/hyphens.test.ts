import type { Profile } from '../../format';
import { paragraphs, readDrawn } from '../pdf-test-support';

/** Joins the lines of one paragraph as the reader does. */
async function join(lines: readonly string[], profile: Profile = 'reader'): Promise<string> {
  const document = await readDrawn(
    (pdf) => lines.forEach((line, index) => pdf.fontSize(11).text(line, 72, 100 + 14 * index, { lineBreak: false })),
    {},
    profile,
  );
  return paragraphs(document).join('\n');
}

test('a line-end hyphen is kept if the document contains the hyphenated word', async () => {
  expect(await join(['They gathered it from open-', 'source reports, and open-source it stays.'])).toBe(
    'They gathered it from open-source reports, and open-source it stays.',
  );
});

test('a word split at a line end is rejoined', async () => {
  expect(await join(['Differences are reported to the engi-', 'neer on duty who reads the gauge.'])).toBe(
    'Differences are reported to the engineer on duty who reads the gauge.',
  );
});

test('the hyphen of a compound is kept, that of a word with a similar ending is not', async () => {
  expect(
    await join(['The use of evidence-', 'based rules for heavy-', 'duty trucks was de-', 'based by critics.']),
  ).toBe('The use of evidence-based rules for heavy-duty trucks was debased by critics.');
});

test('the hyphen between capitals and a capitalized word is kept, that of a word in capitals is not', async () => {
  expect(await join(['They use the KOMA-', 'Script classes of the TRANSPOR-', 'TATION department.'])).toBe(
    'They use the KOMA-Script classes of the TRANSPORTATION department.',
  );
});

test('hyphens after a digit and before a capital are kept', async () => {
  expect(await join(['Children of the 4-', 'year group and the Non-', 'Negligent ones were asked.'])).toBe(
    'Children of the 4-year group and the Non-Negligent ones were asked.',
  );
});

test('the hyphen between two words that the document also has separately is kept, unless most lines break within words', async () => {
  const apart = ['The cost was high, and avoidance of it was', 'sought: savings and cost-', 'avoidance count.'];
  expect(await join(apart)).toContain('cost-avoidance');
  const broken = ['Some thing or other: the engi-', 'neer on duty repor-', 'ted some-', 'thing to the offi-', 'cer.'];
  expect(await join(broken)).toContain('something');
});

test('a dash at a line end separates two words; the reference treats it as a hyphen', async () => {
  const lines = ['It changed with the new platforms\u2014', 'and that was the end of the matter.'];
  expect(await join(lines)).toContain('platforms\u2014and');
  expect(await join(lines, 'reference')).toContain('platformsand');
});

test('a compound split after one of its short words keeps the hyphen', async () => {
  expect(await join(['a measure of health-related quality-of-', 'life and of the use of the harbour'])).toContain(
    'quality-of-life',
  );
});

test('a long dash between words is not a hyphen, but the reference treats it as one', async () => {
  const lines = ['the grants\u2014money that is free \u2014 are paid'];
  expect(await join(lines)).toBe('the grants\u2014money that is free \u2014 are paid');
  expect(await join(lines, 'reference')).toBe('the grants-money that is free - are paid');
});

test('a hyphen for the rest of a compound is followed by a space', async () => {
  expect(await join(['They include almost all 2-', 'and 4-year colleges.'])).toBe(
    'They include almost all 2- and 4-year colleges.',
  );
  expect(await join(['The micro or the macro view: macro-', 'and microscopic forms.'])).toContain(
    'macro- and microscopic',
  );
  expect(await join(['There were more than a thous-', 'and of them.'])).toContain('thousand of them');
});

test('a web address that continues on the next line is joined, and the words after it stay separate', async () => {
  expect(await join(['It is at http://www.example.org/products/', 'national/10000.pdf (seen in May).'])).toBe(
    'It is at http://www.example.org/products/national/10000.pdf (seen in May).',
  );
  expect(await join(['Look at https://bugs.example.org/harbour/', '+source/gauge and there is no bug.'])).toBe(
    'Look at https://bugs.example.org/harbour/+source/gauge and there is no bug.',
  );
  expect(await join(['Available at http://www.', 'example.org/index.html and elsewhere.'])).toContain(
    'http://www.example.org/index.html and',
  );
  expect(await join(['It is at http://www.example.org/', 'and/or in the well-known shops.'])).toContain(
    'example.org/ and/or in',
  );
});

test('two words that a slash joins stay together across a line end', async () => {
  expect(await join(['Figures by racial/', 'ethnic group were imputed.'])).toBe(
    'Figures by racial/ethnic group were imputed.',
  );
});
