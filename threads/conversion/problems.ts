import type { FailedPage, ModelFailure } from '../../formats/convert';
import type { ErrorItem } from '../../model/conversion/task/result';
import { AppError } from '../../model/errors';
import type { Enrichment, EnrichmentProblem } from '../../model/page/vision';
import { createProblem } from '../../services/conversion/problems';

/** A failed page does not fail its document. */
export function createPageProblem({ pageNo, message, code }: FailedPage, format: string): ErrorItem {
  const problem = createProblem(new AppError(code ?? 'DOCUMENT_CORRUPT', message), {
    name: '',
    module: format,
  }).problem;
  const module = problem.component_type === 'model' ? 'vlm' : format;
  return { ...problem, module_name: module, page_no: pageNo };
}

/** A model that cannot be used is reported. Rules did its work, so the document is complete. */
export function createModelProblem({
  stage,
  code,
  message,
}: Omit<ModelFailure, 'stage'> & { stage: ModelFailure['stage'] | 'ocr' }): ErrorItem {
  return {
    component_type: 'model',
    module_name: stage,
    error_message: `${message} (${code})`,
    category: 'inference_failure',
    page_no: null,
  };
}

const modules: Readonly<Record<Enrichment, string>> = {
  classification: 'picture_classification',
  charts: 'chart_extraction',
  description: 'picture_description',
  code: 'code_enrichment',
  formulas: 'formula_enrichment',
};

/** Reports an item for which a model returned nothing. The item is unchanged. */
export function createEnrichmentProblem({ enrichment, pageNo, message }: EnrichmentProblem): ErrorItem {
  return {
    component_type: 'model',
    module_name: modules[enrichment],
    error_message: message,
    category: 'inference_failure',
    page_no: pageNo,
  };
}
