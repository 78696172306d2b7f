import { gzipSync, zipSync } from 'fflate';
import { toMarkdown } from '../../document/markdown';
import { checkTree } from '../../document/validate';
import { convertBytes } from '../convert';

const storage = (kind: string, inner: string) => `<sf:text-storage sf:kind="${kind}">${inner}</sf:text-storage>`;
const xml = `<?xml version="1.0"?><sl:document xmlns:sl="http://developer.apple.com/namespaces/sl"
 xmlns:sf="http://developer.apple.com/namespaces/sf" xmlns:sfa="http://developer.apple.com/namespaces/sfa">
<sl:section-prototypes>${storage('body', '<sf:p>Template</sf:p>')}</sl:section-prototypes>
${storage(
  'body',
  `<sf:attachments><sf:attachment sfa:ID="T"><sf:grid sf:numcols="2"><sf:datasource>
  <sf:t><sf:ct sfa:s="A"/></sf:t><sf:t><sf:ct sfa:s="B"/></sf:t><sf:t><sf:ct sfa:s="a"/></sf:t><sf:n sf:v="2"/>
  </sf:datasource></sf:grid></sf:attachment></sf:attachments>
  <sf:p>One <sf:span>text</sf:span>.<sf:br/></sf:p><sf:p><sf:attachment-ref sfa:IDREF="T"/><sf:br/></sf:p><sf:p><sf:ghost-text>Fill in</sf:ghost-text></sf:p>`,
)}${storage('textbox', '<sf:p>Box</sf:p>')}</sl:document>`;
const bytes = new TextEncoder().encode(xml);

test.each([
  ['index.xml', bytes],
  ['index.xml.gz', gzipSync(bytes)],
])('text boxes, paragraphs and tables of %s; templates and placeholders are left out', async (entry, content) => {
  const { document, format } = await convertBytes({ bytes: zipSync({ [entry]: content }), name: 'note.pages' });
  expect(format).toBe('iwork_pages');
  checkTree(document);
  expect(toMarkdown(document, { compactTables: true })).toBe('Box\n\nOne text.\n\n| A | B |\n| - | - |\n| a | 2 |');
});
