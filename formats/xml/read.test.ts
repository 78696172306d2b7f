import { toMarkdown } from '../../document';
import { convertBytes } from '../convert';

const convert = (text: string, name = 'data.xml', mimetype?: string) =>
  convertBytes({ bytes: Buffer.from(text), name, mimetype });
const markdown = async (text: string, name?: string) =>
  toMarkdown((await convert(text, name)).document, { compactTables: true });

test('elements with values are lists, similar elements are a table, and names have no prefixes', async () => {
  const feed = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="urn:dc"><channel><title>News</title><language>en</language>
    <item><title>One</title><link>http://a</link><dc:date>2024</dc:date></item>
    <item><title>Three</title><link>http://c</link><dc:date>2025</dc:date></item>
    <item><title>Two</title><link>http://b</link><description>&lt;p&gt;Bold &lt;b&gt;words&lt;/b&gt;&lt;/p&gt;</description></item>
    </channel></rss>`;
  expect(await markdown(feed, 'feed.rss')).toBe(
    [
      '- version: 2.0',
      '',
      '## channel',
      '',
      '- title: News',
      '- language: en',
      '',
      '### item',
      '',
      '| title | link | date | description |',
      '| - | - | - | - |',
      '| One | http://a | 2024 |  |',
      '| Three | http://c | 2025 |  |',
      '| Two | http://b |  | Bold words |',
    ].join('\n'),
  );
});

test('prose is paragraphs below its titles, with lists, listings and tables', async () => {
  const book = `<book><title>Guide</title><chapter id="c1"><title>Start</title>
    <para>Press <key>Enter</key> twice.</para>
    <itemizedlist><listitem><para>first</para></listitem><listitem><para>second</para></listitem></itemizedlist>
    <programlisting>a = 1
b = 2</programlisting>
    <table><title>Sizes</title><tbody><row><entry>A</entry><entry>1</entry></row><row><entry>B</entry><entry>2</entry></row></tbody></table>
    </chapter></book>`;
  expect(await markdown(book, 'guide.dbk')).toBe(
    [
      '# Guide',
      '## Start',
      'Press Enter twice.',
      '- first\n- second',
      '```\na = 1\nb = 2\n```',
      '### Sizes',
      '| A | 1 |\n| - | - |\n| B | 2 |',
    ].join('\n\n'),
  );
});

test('text next to blocks is kept', async () => {
  const text = '<doc><p>Start <b>here</b>.</p><item>Before <list><item>inner</item></list> after</item></doc>';
  expect(await markdown(text)).toBe('Start here.\n\nBefore\n\n- list\n    - item: inner\n\nafter');
});

test('property lists are read by their keys', async () => {
  const list = '<plist version="1.0"><dict><key>Name</key><string>App</string><key>On</key><true/></dict></plist>';
  expect(await markdown(list, 'Info.plist')).toBe('- Name: App\n- On: true');
});

test('a stray ampersand is text, and malformed XML is kept as written', async () => {
  const stray = await convert('<a><b>Enewetak & Ujelang</b></a>');
  expect(toMarkdown(stray.document)).toBe('- b: Enewetak &amp; Ujelang');
  expect(stray.warnings).toHaveLength(1);
  const broken = await convert('<a><b>words</a>');
  expect(broken.document.texts).toMatchObject([{ label: 'code', code_language: 'XML', text: '<a><b>words</a>' }]);
  expect(broken.warnings[0]).toMatch(/not well-formed XML: .* Its text is kept as written\./);
});

test('known document types keep their readers, whatever the file name and media type', async () => {
  const article = '<?xml version="1.0"?><article article-type="research"><front/><body><p>A</p></body></article>';
  expect((await convert(article, 'a.xml', 'application/xml')).format).toBe('xml_jats');
  expect((await convert('<?xml version="1.0"?><r><v>1</v></r>', 'a', 'application/xml')).format).toBe('xml');
  expect((await convert('<?xml version="1.0"?><html><body><p>A</p></body></html>')).format).toBe('html');
  expect((await convert('<svg xmlns="http://www.w3.org/2000/svg"><text>A</text></svg>')).format).toBe('svg');
});

test('entities are not expanded, and comments in the document type hide nothing', async () => {
  const bomb = `<!DOCTYPE a [<!-- it's --><!ENTITY b "bb"><!ENTITY c SYSTEM "file:///etc/passwd">]><a><d>x &b; &c;</d></a>`;
  expect(await markdown(bomb)).toBe('- d: x &amp;b; &amp;c;');
});
