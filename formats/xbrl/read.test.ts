import { checkTree } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

const instance = (facts: string, root = 'xbrl', prefix = '') => `<?xml version="1.0"?>
<${root} xmlns${prefix}="http://www.xbrl.org/2003/instance" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"
 xmlns:xbrldi="http://xbrl.org/2006/xbrldi" xmlns:dei="http://xbrl.sec.gov/dei/2025" xmlns:g="http://fasb.org/us-gaap/2025">
<context id="year"><entity><segment><xbrldi:explicitMember dimension="g:ClassAxis">g:SeriesAMember</xbrldi:explicitMember></segment></entity>
<period><startDate>2025-01-01</startDate><endDate>2025-12-31</endDate></period></context>
<context id="day"><period><instant>2024-02-28</instant></period></context>
<unit id="u"><measure>iso4217:USD</measure></unit>
<unit id="s"><divide><unitNumerator><measure>iso4217:USD</measure></unitNumerator><unitDenominator><measure>shares</measure></unitDenominator></divide></unit>
${facts}</${root}>`;

async function read(facts: string) {
  const bytes = new TextEncoder().encode(instance(facts));
  const { document, format } = await convertBytes({ bytes, name: 'report.xml' });
  expect(format).toBe('xml_xbrl');
  checkTree(document);
  return document;
}

test('the title comes from the cover, and notes are read as pages in order', async () => {
  const document = await read(
    '<dei:DocumentType contextRef="year">10-K</dei:DocumentType><dei:EntityRegistrantName contextRef="year">Acme</dei:EntityRegistrantName>' +
      '<g:NoteTextBlock contextRef="year">&lt;p&gt;&lt;b&gt;NOTE 1&lt;/b&gt;&lt;/p&gt;&lt;p&gt;Text.&lt;/p&gt;</g:NoteTextBlock>',
  );
  expect(toMarkdown(document)).toBe('# 10-K Acme\n\n**NOTE 1**\n\nText.');
});

test('numbers are keys with value, period, unit, decimals and dimensions', async () => {
  const document = await read(
    '<g:Assets contextRef="year" unitRef="u" decimals="-3">1000</g:Assets><g:Earnings contextRef="day" unitRef="s">2</g:Earnings>',
  );
  const { cells, links } = document.key_value_items[0]!.graph as { cells: { text: string }[]; links: object[] };
  expect(cells.map(({ text }) => text)).toEqual([
    'Assets',
    'value: 1000',
    'period: 2025-01-01 - 2026-01-01',
    'currency: USD',
    'decimals: -3',
    'Earnings',
    'value: 2',
    'period: 2024-02-29',
    'currency: USD/shares',
    '',
    'ClassAxis: SeriesAMember',
  ]);
  expect(links.at(-1)).toEqual({ label: 'to_value', source_cell_id: 0, target_cell_id: 10 });
  expect(links[0]).toEqual({ label: 'to_value', source_cell_id: 0, target_cell_id: 1 });
});

test('XML named .xbrl that is not an instance is DOCUMENT_CORRUPT', async () => {
  const bytes = new TextEncoder().encode('<other/>');
  await expect(convertBytes({ bytes, name: 'a.xbrl' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});
