import type { DoclingDocument, NodeItem } from '../../document/model';
import { addAll } from '../../model/lists/add-all';
import { type Enricher, type Enrichment, type EnrichmentProblem, enrichments } from '../../model/page/vision';
import { processConcurrently } from '../process-concurrently';
import { createAnswerError, type Asking, type FindImage } from './asking';
import { readCode, readFormula } from './code';
import { classify, describe, isDescribed, readChart } from './pictures';

/**
 * Asks models about pictures, code and formulas, and adds their answers to the document. A failed item is reported and not
 * changed. Classification comes first, since charts and descriptions may depend on it.
 */
export async function enrichDocument(
  document: DoclingDocument,
  enrichers: Partial<Record<Enrichment, Enricher>>,
  imageOf: FindImage,
): Promise<EnrichmentProblem[]> {
  const problems: EnrichmentProblem[] = [];
  for (const enrichment of enrichments) {
    const enricher = enrichers[enrichment];
    if (enricher) addAll(problems, await enrich(document, enrichment, enricher, imageOf));
  }
  return problems;
}

function enrich(
  document: DoclingDocument,
  enrichment: Enrichment,
  enricher: Enricher,
  imageOf: FindImage,
): Promise<EnrichmentProblem[]> {
  const { pictures, texts } = document;
  const stage = { enrichment, enricher, imageOf };
  switch (enrichment) {
    case 'classification':
      return askAll(pictures, classify, stage);
    case 'charts':
      return askAll(pictures, readChart, stage);
    case 'description':
      return askAll(
        pictures.filter((picture) => isDescribed(document, picture, enricher)),
        describe,
        stage,
      );
    case 'code':
      return askAll(
        texts.filter(({ label }) => label === 'code'),
        readCode,
        stage,
      );
    case 'formulas':
      return askAll(
        texts.filter(({ label }) => label === 'formula'),
        readFormula,
        stage,
      );
  }
}

interface Stage {
  enrichment: Enrichment;
  enricher: Enricher;
  imageOf: FindImage;
}

async function askAll<Item extends NodeItem & { prov: { page_no: number }[] }>(
  items: readonly Item[],
  { question, apply, acceptsTruncated }: Asking<Item>,
  { enrichment, enricher, imageOf }: Stage,
): Promise<EnrichmentProblem[]> {
  const problems: EnrichmentProblem[] = [];
  const getQuestion = (item: Item) => question(item, enricher, imageOf(item));
  const report = (item: Item, problem: string) =>
    void problems.push({ enrichment, pageNo: item.prov[0]?.page_no ?? null, message: `${item.self_ref}: ${problem}` });
  const { remaining, error } = await processConcurrently(items, {
    concurrency: enricher.concurrency,
    async work(item) {
      const itemQuestion = getQuestion(item);
      if (!itemQuestion) return;
      const { text, isTruncated } = await enricher.ask(itemQuestion);
      if (text === '') throw createAnswerError('the model gave an empty answer');
      if (isTruncated && !acceptsTruncated) throw createAnswerError('the answer was cut off at its length limit');
      apply(item, text, enricher, itemQuestion);
    },
    failed: (item, cause) => report(item, cause.message),
  });
  // Items without a question would not have been sent anyway.
  const [first, ...others] = error ? remaining.filter((item) => getQuestion(item) !== undefined) : [];
  if (error && first) report(first, `it and ${others.length} more were not sent to the model: ${error.message}`);
  return problems;
}
