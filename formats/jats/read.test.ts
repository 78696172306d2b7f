import { checkTree } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

const article = (body: string, back = '') => `<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2//EN" "x.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><article-meta>
<title-group><article-title>On <italic>Lynx</italic></article-title></title-group>
<contrib-group>
<contrib contrib-type="author"><name><surname>Doe</surname><given-names>Ann</given-names></name><xref ref-type="aff" rid="a1">1</xref></contrib>
<contrib contrib-type="author"><name><surname>Roe</surname><given-names>Bo</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib>
<aff id="a1"><label>1</label><institution>Institute</institution><country>Norway</country></aff>
</contrib-group>
<abstract><p>Short.</p></abstract></article-meta></front><body>${body}</body><back>${back}</back></article>`;

async function read(body: string, back = '') {
  const bytes = new TextEncoder().encode(article(body, back));
  const { document, format } = await convertBytes({ bytes, name: 'paper.xml' });
  expect(format).toBe('xml_jats');
  checkTree(document);
  return document;
}

test('title, authors, their affiliations, and the abstract come first', async () => {
  expect(toMarkdown(await read(''))).toBe('# On Lynx\n\nAnn Doe, Bo Roe\n\nInstitute, Norway\n\n## Abstract\n\nShort.');
});

test('sections nest and keep their numbers', async () => {
  const document = await read(
    '<sec><label>1.</label><title>One</title><p>a</p><sec><title>Two</title><p>b</p></sec></sec>',
  );
  const headings = document.texts.filter(({ label }) => label === 'section_header');
  expect(headings.map(({ text, level }) => [text, level])).toEqual([
    ['Abstract', 1],
    ['1. One', 1],
    ['Two', 2],
  ]);
  expect(headings[2]!.parent).toEqual({ $ref: headings[1]!.self_ref });
});

test('inline styles and formulas split a paragraph into a group', async () => {
  const document = await read(
    '<p>Let <inline-formula><tex-math>$x^2$</tex-math></inline-formula> be <italic>small</italic>.</p>',
  );
  const [group] = document.groups.filter(({ label }) => label === 'inline');
  expect(group!.children).toHaveLength(5);
  expect(toMarkdown(document)).toContain('Let $x^2$ be *small* .');
});

test('a displayed formula is TeX without delimiters, else derived from its MathML', async () => {
  const document = await read(
    '<disp-formula><label>(1)</label><tex-math><![CDATA[$$a<b$$]]></tex-math></disp-formula>' +
      '<disp-formula><mml:math><mml:msup><mml:mi>e</mml:mi><mml:mi>x</mml:mi></mml:msup></mml:math></disp-formula>',
  );
  expect(document.texts.filter(({ label }) => label === 'formula').map(({ text }) => text)).toEqual(['a<b', 'e^{x}']);
});

test('figures and tables have captions; tables have spans and headers', async () => {
  const document = await read(
    '<fig><label>Figure 1.</label><caption><title>Map.</title><p>Of it.</p></caption></fig>' +
      '<table-wrap><label>Table 1.</label><table><thead><tr><th colspan="2">H</th></tr></thead>' +
      '<tbody><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table></table-wrap>',
  );
  const { data, captions } = document.tables[0]!;
  expect(captions).toHaveLength(1);
  expect([data.num_rows, data.num_cols]).toEqual([3, 2]);
  expect(data.table_cells[0]).toMatchObject({ col_span: 2, column_header: true });
  expect(data.table_cells.at(-1)).toMatchObject({ text: 'c', start_row_offset_idx: 2, start_col_offset_idx: 1 });
  expect(toMarkdown(document)).toContain('Figure 1. Map. Of it.\n\n<!-- image -->');
});

test('footnotes have a heading, even if the article has none', async () => {
  const document = await read('', '<fn-group><fn><p>Paid by none.</p></fn></fn-group><fn-group/>');
  expect(toMarkdown(document)).toContain('## Footnotes\n\n- Paid by none.');
  expect(document.groups.filter(({ name }) => name === 'footnotes')).toHaveLength(1);
});

test('references are composed from their parts, or used as written', async () => {
  const document = await read(
    '',
    '<ref-list><ref><element-citation><person-group><name><surname>Poe</surname><given-names>E</given-names></name></person-group>' +
      '<year>1845</year><article-title>The Raven</article-title><source>Mirror</source><volume>1</volume><fpage>2</fpage><lpage>3</lpage>' +
      '<pub-id pub-id-type="doi">10.1/x</pub-id></element-citation></ref>' +
      '<ref><element-citation><collab>Press</collab><chapter-title>One</chapter-title><source>Book</source><publisher-name>House</publisher-name>' +
      '<publisher-loc>Rome</publisher-loc><elocation-id>e1</elocation-id><year>2001</year>' +
      '<pub-id pub-id-type="accession" assigning-authority="NCBI">G1</pub-id></element-citation></ref><ref><label>2</label><mixed-citation>Any <italic>text</italic>.</mixed-citation></ref></ref-list>',
  );
  expect(document.texts.filter(({ label }) => label === 'list_item').map(({ text }) => text)).toEqual([
    'Poe E. The Raven. Mirror 1:2–3 (1845). DOI: 10.1/x',
    'Press. One. Book. Rome: House e1 (2001). NCBI: G1',
    'Any text.',
  ]);
});

test('XML with the root element `article` but without an article is DOCUMENT_CORRUPT', async () => {
  const bytes = new TextEncoder().encode('<book/>');
  await expect(convertBytes({ bytes, name: 'a.nxml' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('content below supplementary material is read', async () => {
  const text = toMarkdown(
    await read(
      '<p>a</p><supplementary-material><label>S1</label><caption><p>Data.</p></caption></supplementary-material>',
    ),
  );
  expect(text.endsWith('a\n\nData.')).toBe(true);
});

test('an abstract is one paragraph in which section titles precede their text', async () => {
  const front =
    '<article><front><article-meta><title-group><article-title>T</article-title><subtitle>Of it</subtitle></title-group>' +
    '<contrib-group><contrib><anonymous/></contrib><contrib><collab>Group<contrib-group><contrib><name><prefix>Dr</prefix>' +
    '<surname>Li</surname></name></contrib></contrib-group></collab><xref ref-type="aff" rid="z"/></contrib></contrib-group>' +
    '<aff-alternatives id="z"><aff><institution-wrap><institution>Dept</institution><institution>Univ</institution></institution-wrap></aff>' +
    '<aff><institution>Other script</institution></aff></aff-alternatives>' +
    '<abstract><sec><title>Background</title><p>B.</p></sec><sec><title>Aim:</title><p>A.</p></sec></abstract>' +
    '<trans-abstract><title>Résumé</title><p>Un.</p><p>Deux.</p></trans-abstract></article-meta></front></article>';
  const bytes = new TextEncoder().encode(front);
  const { document } = await convertBytes({ bytes, name: 'paper.nxml' });
  expect(toMarkdown(document)).toBe(
    '# T Of it\n\nAnonymous, Group, Dr Li\n\nDept, Univ\n\n## Abstract\n\nBackground: B. Aim: A.\n\n## Résumé\n\nUn. Deux.',
  );
});

test('notes below a table become its footnotes, and notes in the text come after it; titles and labels of lists are kept', async () => {
  const document = await read(
    '<p>Text<fn><label>1</label><p>In passing.</p></fn> goes on.</p><table-wrap><table><tr><td>x</td></tr></table>' +
      '<table-wrap-foot><fn><label>a</label><p>Below.</p></fn></table-wrap-foot></table-wrap>' +
      '<list><title>Steps</title><list-item><label>(i)</label><p>one</p></list-item></list><media><caption><p>Film.</p></caption></media>',
  );
  const notes = document.texts.filter(({ label }) => label === 'footnote');
  expect(notes.map(({ text }) => text)).toEqual(['1 In passing.', 'a Below.']);
  expect(document.tables[0]!.footnotes).toEqual([{ $ref: notes[1]!.self_ref }]);
  const text = toMarkdown(document);
  for (const part of ['goes on.', 'Steps\n\n- (i) one', 'Film.']) expect(text).toContain(part);
});

test('references with older element names and references as notes are entries too', async () => {
  const document = await read(
    '',
    '<ref-list><ref><nlm-citation><person-group><name><surname>Poe</surname><given-names>E</given-names></name></person-group>' +
      '<article-title>Talk</article-title><conf-name>Meeting</conf-name><year>2003</year></nlm-citation></ref>' +
      '<ref><citation>As it <italic>is</italic> written.</citation></ref><ref><note><p>A note.</p></note></ref></ref-list>',
  );
  expect(document.texts.filter(({ label }) => label === 'list_item').map(({ text }) => text)).toEqual([
    'Poe E. Talk. Meeting (2003).',
    'As it is written.',
    'A note.',
  ]);
});
