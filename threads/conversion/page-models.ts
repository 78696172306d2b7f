import type { PageModels } from '../../model/page/page-models';
import { createPageModels, type OpenPageModels } from '../../services/image/page-models';

/** The page models to open. */
export interface PageModelOptions {
  modelsFolder: string | undefined;
  /** `accurate` uses the table model if there is one. */
  tableMode: 'fast' | 'accurate' | 'none';
  /** Name of a layout model to use instead of the default. */
  layout?: string | undefined;
}

let cached: { key: string; models: OpenPageModels } | undefined;

/**
 * Returns the page models of this thread; none without a models folder or a layout model. They are kept for the next document,
 * because opening a model takes seconds.
 */
export async function loadPageModels({
  modelsFolder,
  tableMode,
  layout: name,
}: PageModelOptions): Promise<{ models?: PageModels }> {
  if (modelsFolder === undefined && name === undefined) return {};
  const key = JSON.stringify([modelsFolder, name]);
  if (cached?.key !== key) {
    await cached?.models.close();
    cached = { key, models: createPageModels(modelsFolder, { layout: name }) };
  }
  const { layout, tables } = cached.models;
  const modelRequest = { ...(layout ? { layout } : {}), ...(tables && tableMode === 'accurate' ? { tables } : {}) };
  return Object.keys(modelRequest).length > 0 ? { models: modelRequest } : {};
}
