import { documentFromJson } from '../../document/json/json';
import { findFirstSpanAfter, toMarkdownWithSpans } from '../../document/pages';
import { readableText } from '../../document/write/text';
import type { Evidence } from './quotes';

/** Adds page numbers from the full document to the evidence. Unchanged when the document has no pages or a different text. */
export function addPages(evidence: readonly Evidence[], content: string, documentJson: string): Evidence[] {
  // Most formats have no pages; this avoids parsing their documents.
  if (evidence.length === 0 || !documentJson.includes('"page_no"')) return [...evidence];
  const { markdown, spans } = toMarkdownWithSpans(documentFromJson(documentJson, { trusted: true }), readableText);
  if (markdown !== content) return [...evidence];
  return evidence.map((passage) => {
    const page = spans[findFirstSpanAfter(spans, passage.start)]?.page;
    return page === undefined ? passage : { ...passage, page };
  });
}
