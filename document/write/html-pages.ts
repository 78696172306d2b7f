import type { DoclingDocument } from '../model';
import { findFirstPage } from '../tree';
import { escapeHtml, writeHtmlPage, type HtmlOptions, findShownUri, writeTopBlocks } from './html';

const styles = `
.sheet { display: grid; grid-template-columns: 1fr; border-bottom: 1px solid #aaa; }
.sheet.pictured { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.page-image { position: sticky; top: 0; align-self: start; margin: 1rem; }
.page-image img { border: 1px solid #aaa; }`;

/**
 * Writes the body as a complete HTML page with one section per page: the picture of the page if there is one, and the content
 * beside it. Content belongs to the page on which it begins; content without a page belongs to the page of the content before
 * it. A document without pages is a single section.
 */
export function toHtmlPages(document: DoclingDocument, options: HtmlOptions = {}): string {
  const numbers = Object.keys(document.pages)
    .map(Number)
    .toSorted((value, other) => value - other);
  const pages = new Map<number, string[]>(numbers.map((number) => [number, []]));
  let current = numbers[0] ?? 1;
  for (const { node, blocks } of writeTopBlocks(document, options)) {
    if (blocks.length === 0) continue;
    current = findFirstPage(document, node) ?? current;
    pages.set(current, [...(pages.get(current) ?? []), ...blocks]);
  }
  const sections = [...pages]
    .toSorted(([one], [other]) => one - other)
    .map(([number, blocks]) => writeSection(document, number, blocks, options));
  return writeHtmlPage(document, sections.join('\n'), styles);
}

function writeSection(document: DoclingDocument, number: number, blocks: string[], options: HtmlOptions): string {
  const uri = findShownUri(document.pages[String(number)]?.image, options);
  const image =
    uri === undefined
      ? ''
      : `<figure class="page-image"><img src="${escapeHtml(uri)}" alt="Picture of page ${number}"></figure>\n`;
  return `<section class="sheet${image === '' ? '' : ' pictured'}" id="page-${number}" aria-label="Page ${number}">
${image}<div class='page'>
${blocks.join('\n')}
</div>
</section>`;
}
