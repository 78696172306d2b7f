import { documentFromJson } from '../../document/json/json';
import { toMarkdownWithSpans } from '../../document/pages';
import { readableText } from '../../document/write/text';
import type { Evidence } from './quotes';

/** Adds page numbers from the full document to the evidence. Unchanged when the document has no pages or a different text. */
export function addPages(evidence: readonly Evidence[], content: string, documentJson: string): Evidence[] {
  // Most formats have no pages; this avoids parsing their documents.
  if (evidence.length === 0 || !documentJson.includes('"page_no"')) return [...evidence];
  const { markdown, spans } = toMarkdownWithSpans(documentFromJson(documentJson, { trusted: true }), readableText);
  if (markdown !== content) return [...evidence];
  return evidence.map((evidence) => {
    let low = 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle]?.end ?? 0) <= evidence.start) low = middle + 1;
      else high = middle;
    }
    const page = spans[low]?.page;
    return page === undefined ? evidence : { ...evidence, page };
  });
}
