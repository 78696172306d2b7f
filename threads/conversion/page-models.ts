import type { PageModels } from '../../model/page/page-models';
import { createPageModels, type OpenPageModels } from '../../services/image/page-models';

/** Where the models lie, and whether one of tables is wanted. */
export interface PageModelOptions {
  modelsFolder: string | undefined;
  /** `accurate` asks the model of tables, where there is one. */
  tableMode: 'fast' | 'accurate' | 'none';
  /** The model of layout of that name instead of the usual one. */
  layout?: string | undefined;
}

let kept: { key: string; models: OpenPageModels } | undefined;

/** The models of this thread, which are kept for the next document; opening one takes seconds. Nothing without a folder. */
export async function pageModelsFor({
  modelsFolder,
  tableMode,
  layout: name,
}: PageModelOptions): Promise<{ models?: PageModels }> {
  if (modelsFolder === undefined && name === undefined) return {};
  const key = JSON.stringify([modelsFolder, name]);
  if (kept?.key !== key) {
    await kept?.models.close();
    kept = { key, models: createPageModels(modelsFolder, { layout: name }) };
  }
  const { layout, tables } = kept.models;
  const wanted = { ...(layout ? { layout } : {}), ...(tables && tableMode === 'accurate' ? { tables } : {}) };
  return Object.keys(wanted).length > 0 ? { models: wanted } : {};
}
