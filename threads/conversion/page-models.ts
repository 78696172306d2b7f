import type { PageModels } from '../../model/page/page-models';
import { createPageModels, type OpenPageModels } from '../../services/image/page-models';
import { createTableModel, type TableModel } from '../../services/image/slanet/table-model';

/** The page models to open. */
export interface PageModelOptions {
  modelsFolder: string | undefined;
  /** `accurate` uses the table model if there is one. */
  tableMode: 'fast' | 'accurate' | 'none';
  /** Uses the model pack for tables without rulings, if it is installed. */
  usesCells?: boolean;
  /** Name of a layout model to use instead of the default. */
  layout?: string | undefined;
}

let cached: { key: string; models: OpenPageModels } | undefined;
let cachedCells: { folder: string | undefined; model: TableModel | undefined } | undefined;

/**
 * Returns the page models of this thread; none without a models folder or a layout model. They are kept for the next document,
 * because opening a model takes seconds.
 */
export async function loadPageModels({
  modelsFolder,
  tableMode,
  usesCells = false,
  layout: name,
}: PageModelOptions): Promise<{ models?: PageModels }> {
  if (modelsFolder === undefined && name === undefined) return {};
  const key = JSON.stringify([modelsFolder, name]);
  if (cached?.key !== key) {
    await cached?.models.close();
    cached = { key, models: createPageModels(modelsFolder, { layout: name }) };
  }
  const { layout, tables } = cached.models;
  const cells = usesCells && tableMode === 'accurate' ? (await loadTableModel(modelsFolder))?.readStructure : undefined;
  const modelRequest = {
    ...(layout ? { layout } : {}),
    ...(tables && tableMode === 'accurate' ? { tables } : {}),
    ...(cells ? { cells } : {}),
  };
  return Object.keys(modelRequest).length > 0 ? { models: modelRequest } : {};
}

/** Looks again for an absent pack, so that it can be added without a restart. */
async function loadTableModel(folder: string | undefined): Promise<TableModel | undefined> {
  if (cachedCells?.folder === folder && cachedCells?.model) return cachedCells.model;
  const replaced = cachedCells?.model;
  cachedCells = { folder, model: createTableModel(folder) };
  await replaced?.close();
  return cachedCells.model;
}
