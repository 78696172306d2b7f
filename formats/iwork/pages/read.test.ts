import { gzipSync, zipSync } from 'fflate';
import { checkTree } from '../../../document/validate';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';

const storage = (kind: string, inner: string) => `<sf:text-storage sf:kind="${kind}">${inner}</sf:text-storage>`;
const xml = `<?xml version="1.0"?><sl:document xmlns:sl="http://developer.apple.com/namespaces/sl"
 xmlns:sf="http://developer.apple.com/namespaces/sf" xmlns:sfa="http://developer.apple.com/namespaces/sfa">
<sl:section-prototypes>${storage('body', '<sf:p><sf:ghost-text sfa:ID="G">Fill in</sf:ghost-text></sf:p><sf:p><sf:ghost-text-ref sfa:IDREF="G">Sample</sf:ghost-text-ref></sf:p>')}</sl:section-prototypes>
${storage('textbox', '<sf:p>Box</sf:p>')}
<sf:header>${storage('header', '<sf:p>Report</sf:p>')}</sf:header><sf:header>${storage('header', '<sf:p>Report</sf:p>')}</sf:header>
${storage(
  'body',
  `<sf:attachments><sf:attachment sfa:ID="T"><sf:grid sf:numcols="2"><sf:datasource>
  <sf:t><sf:ct sfa:s="A"/></sf:t><sf:t><sf:ct sfa:s="B"/></sf:t><sf:t><sf:ct sfa:s="a"/></sf:t><sf:n sf:v="2"/>
  </sf:datasource></sf:grid></sf:attachment></sf:attachments>
  <sf:p>One <sf:span>text</sf:span>.<sf:br/></sf:p><sf:p><sf:attachment-ref sfa:IDREF="T"/><sf:br/></sf:p><sf:p><sf:ghost-text>Fill in</sf:ghost-text></sf:p>`,
)}</sl:document>`;
const bytes = new TextEncoder().encode(xml);

const markdown = 'Sample\n\nBox\n\nOne text.\n\n| A | B |\n| - | - |\n| a | 2 |';

test.each([
  ['index.xml', bytes],
  ['index.xml.gz', gzipSync(bytes)],
])('paragraphs of %s are in file order, and tables are placed at their anchors', async (entry, content) => {
  const { document, format } = await convertBytes({ bytes: zipSync({ [entry]: content }), name: 'note.pages' });
  expect(format).toBe('iwork_pages');
  checkTree(document);
  expect(toMarkdown(document, { compactTables: true })).toBe(markdown);
});

test('header text repeated on first, odd and even pages is furniture once', async () => {
  const { document } = await convertBytes({ bytes: zipSync({ 'index.xml': bytes }), name: 'note.pages' });
  const furniture = document.texts.filter(({ content_layer: layer }) => layer === 'furniture');
  expect(furniture.map(({ label, text }) => [label, text])).toEqual([['page_header', 'Report']]);
});

test('an attachment that anchors itself is added once', async () => {
  const inner = '<sf:p>In<sf:attachment-ref sfa:IDREF="T"/></sf:p>';
  const loop = xml.replace(
    /<sf:attachment sfa:ID="T">.*?<\/sf:attachment>/s,
    `<sf:attachment sfa:ID="T">${inner}</sf:attachment>`,
  );
  const { document } = await convertBytes({
    bytes: zipSync({ 'index.xml': new TextEncoder().encode(loop) }),
    name: 'note.pages',
  });
  expect(toMarkdown(document)).toBe('Sample\n\nBox\n\nOne text.\n\nIn');
});
