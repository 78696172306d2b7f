import { strToU8, zipSync } from 'fflate';
import type { Block } from '../../samples/texts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaging = 'http://schemas.openxmlformats.org/package/2006';
const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/**
 * A Word document written part by part, because the `docx` package takes minutes for thousands of parts. `picture` is a PNG.
 */
export function writeDocx(blocks: readonly Block[], picture?: Uint8Array): Uint8Array {
  const links: string[] = [];
  const body = blocks.map((block) => render(block, links)).join('');
  const files: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': `${declaration}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${wordType}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${wordType}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="${wordType}.numbering+xml"/></Types>`,
    '_rels/.rels': `${declaration}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${declaration}<w:document xmlns:w="${main}" xmlns:r="${office}" xmlns:wp="${drawing}/wordprocessingDrawing" xmlns:a="${drawing}/main" xmlns:pic="${drawing}/picture"><w:body>${body}${picture ? pictureXml : ''}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`,
    'word/_rels/document.xml.rels': `${declaration}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${office}/styles" Target="styles.xml"/><Relationship Id="rId2" Type="${office}/numbering" Target="numbering.xml"/>${picture ? `<Relationship Id="rIdPicture" Type="${office}/image" Target="media/image1.png"/>` : ''}${links.map((url, index) => `<Relationship Id="rIdLink${index}" Type="${office}/hyperlink" Target="${escape(url)}" TargetMode="External"/>`).join('')}</Relationships>`,
    'word/styles.xml': styles,
    'word/numbering.xml': numbering,
  };
  if (picture) files['word/media/image1.png'] = picture;
  const entries = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? strToU8(content) : content,
  ]);
  return zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>, { level: 6, mtime: new Date(2025, 0, 1) });
}

function render(block: Block, links: string[]): string {
  if ('heading' in block)
    return paragraph(
      run(block.heading),
      `<w:pStyle w:val="${block.level === 1 ? 'Title' : `Heading${(block.level ?? 2) - 1}`}"/>`,
    );
  if ('text' in block) return paragraph(runs(block.text));
  if ('list' in block) {
    const numbers = `<w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${block.ordered ? 2 : 1}"/></w:numPr>`;
    return block.list.map((item) => paragraph(run(item), numbers)).join('');
  }
  if ('link' in block)
    return paragraph(
      `<w:hyperlink r:id="rIdLink${links.push(block.url) - 1}">${run(block.link, '<w:u w:val="single"/>')}</w:hyperlink>`,
    );
  if ('pageBreak' in block) return paragraph('<w:r><w:br w:type="page"/></w:r>');
  return table(block.table);
}

function table(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${paragraph(run(text))}</w:tc>`;
  const row = (cells: readonly string[], index: number) =>
    `<w:tr>${index === 0 ? '<w:trPr><w:tblHeader/></w:trPr>' : ''}${cells.map(cell).join('')}</w:tr>`;
  return `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid>${(rows[0] ?? []).map(() => '<w:gridCol w:w="2000"/>').join('')}</w:tblGrid>${rows.map(row).join('')}</w:tbl>${paragraph('')}`;
}

const paragraph = (content: string, properties = '') =>
  `<w:p w:rsidR="00A77B3E" w:rsidRDefault="00A77B3E">${properties ? `<w:pPr>${properties}</w:pPr>` : ''}${content}</w:p>`;
const run = (text: string, properties = '') =>
  `<w:r w:rsidRPr="00B13C92">${properties ? `<w:rPr>${properties}</w:rPr>` : ''}<w:t xml:space="preserve">${escape(text)}</w:t></w:r>`;

/** Word cuts a paragraph into runs wherever it was edited or formatted; so does this, at every third sentence. */
function runs(text: string): string {
  const sentences = text.split(/(?<=\.) /);
  return sentences
    .map((sentence, index) =>
      run(
        index + 1 < sentences.length ? `${sentence} ` : sentence,
        index % 3 === 2 ? '<w:b/><w:lang w:val="en-GB"/>' : '<w:lang w:val="en-GB"/>',
      ),
    )
    .join('');
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}

const style = (id: string, name: string, level?: number) =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${level === undefined ? '' : `<w:pPr><w:outlineLvl w:val="${level}"/></w:pPr>`}</w:style>`;
const styles = `${declaration}<w:styles xmlns:w="${main}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>${style('Title', 'Title')}${style('Heading1', 'heading 1', 0)}${style('Heading2', 'heading 2', 1)}${style('ListParagraph', 'List Paragraph')}</w:styles>`;
const abstractList = (id: number, format: string, text: string) =>
  `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl></w:abstractNum>`;
const numbering = `${declaration}<w:numbering xmlns:w="${main}">${abstractList(1, 'bullet', '•')}${abstractList(2, 'decimal', '%1.')}<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num></w:numbering>`;
const pictureXml = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3000000" cy="2000000"/><wp:docPr id="1" name="Picture 1" descr="A picture"/><a:graphic><a:graphicData uri="${drawing}/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="image1.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rIdPicture"/></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
