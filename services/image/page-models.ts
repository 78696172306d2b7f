import { existsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../model/errors';
import {
  type Detection,
  type PageImage,
  type PageModels,
  type RegionLabel,
  regionLabels,
  type ShareBox,
  type TablePartLabel,
  tablePartLabels,
} from '../../model/page/page-models';
import { type DetectionModel, openDetectionModel } from './detection-model';
import { cropPixels } from './image-tensor';
import { readPixels } from './images';

/** Folders that are searched for the model of a stage, in this order: plain names, then those used by hubs and their caches. */
export const modelFolders = {
  layout: [
    'layout',
    'docling-project/docling-layout-heron-onnx',
    'docling-project--docling-layout-heron-onnx',
    'docling-project/docling-layout-egret-medium-onnx',
  ],
  tables: [
    'table-structure',
    'Xenova/table-transformer-structure-recognition-v1.1-all',
    'Xenova/table-transformer-structure-recognition',
  ],
} as const;

/** Labels of models trained on other data sets. */
const labelAliases: Readonly<Record<string, RegionLabel>> = {
  list: 'list_item',
  figure: 'picture',
  image: 'picture',
  chart: 'picture',
  header: 'page_header',
  footer: 'page_footer',
  paragraph: 'text',
  plain_text: 'text',
  doc_title: 'title',
  paragraph_title: 'section_header',
  figure_title: 'caption',
  table_title: 'caption',
  figure_caption: 'caption',
  table_caption: 'caption',
  checkbox_checked: 'checkbox_selected',
  checkbox_unchecked: 'checkbox_unselected',
};

/** Detections with a lower score are dropped. Each label has its own threshold later. */
const minScore = 0.3;

type Stage = keyof typeof modelFolders;

/** Models of a folder. `close` releases them. */
export interface OpenPageModels extends PageModels {
  close(): Promise<void>;
}

/**
 * The layout and table structure models in a folder, each opened on first use and kept until `close`. Without a folder, or
 * without a model for a stage, that stage is absent. `named.layout` selects the folder of another layout model; when that does
 * not exist, the stage fails with PAGE_MODEL_INVALID.
 */
export function createPageModels(
  folder: string | undefined,
  named: { layout?: string | undefined } = {},
): OpenPageModels {
  const opened: Promise<DetectionModel>[] = [];
  const createOpener = (stage: Stage) => {
    const name = stage === 'layout' ? named.layout : undefined;
    const place = name === undefined ? findPlace(folder, stage) : name;
    if (place === undefined) return undefined;
    let model: Promise<DetectionModel> | undefined;
    return () => {
      if (model) return model;
      const opening = name === undefined ? openers[stage](place) : openNamed(folder, name, openers[stage]);
      // After the folder is repaired, the next use works without a restart.
      opening.catch(() => (model = undefined));
      opened.push(opening);
      return (model = opening);
    };
  };
  const layout = createOpener('layout');
  const tables = createOpener('tables');
  return {
    ...(layout ? { layout: async (page) => (await detectIn(await layout(), page)).map(mapLabels(findRegion)) } : {}),
    ...(tables
      ? { tables: async (page, part) => (await detectIn(await tables(), page, part)).map(mapLabels(findTablePart)) }
      : {}),
    async close() {
      for (const model of await Promise.allSettled(opened.splice(0)))
        if (model.status === 'fulfilled') await model.value.close();
    },
  };
}

const openers = {
  layout: (place: string) => openLabelled(place, findRegion),
  tables: (place: string) => openLabelled(place, findTablePart),
} satisfies Record<Stage, (place: string) => Promise<DetectionModel>>;

/** Result of checking a stage: the location of its model, and why it cannot be used. */
export interface ModelFinding {
  stage: Stage;
  /** Absent when there is no model and rules are used instead. */
  place?: string;
  problem?: string;
}

/** Opens and closes each model in a folder. Reports unusable models instead of throwing. */
export async function checkPageModels(folder: string): Promise<ModelFinding[]> {
  const findings: ModelFinding[] = [];
  for (const stage of ['layout', 'tables'] as const) {
    const place = findPlace(folder, stage);
    const problem = place && (await findProblem(() => openers[stage](place)));
    findings.push({ stage, ...(place ? { place } : {}), ...(problem ? { problem } : {}) });
  }
  return findings;
}

async function findProblem(opening: () => Promise<DetectionModel>): Promise<string | undefined> {
  try {
    await (await opening()).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.message} (${error.code})`;
  }
}

function findPlace(folder: string | undefined, stage: Stage): string | undefined {
  if (folder === undefined) return undefined;
  return modelFolders[stage].map((name) => path.join(folder, name)).find((place) => existsSync(place));
}

/** Rejects names that lead outside the models folder. */
async function openNamed<Model>(
  folder: string | undefined,
  name: string,
  open: (place: string) => Promise<Model>,
): Promise<Model> {
  const root = path.resolve(folder ?? '');
  const place = path.resolve(root, name);
  if (folder === undefined || !place.startsWith(root + path.sep))
    throw new AppError('PAGE_MODEL_INVALID', `'${name}' is not a model of the models folder.`);
  return open(place);
}

/** Opens a model. Rejects it when one of its classes is unknown. */
async function openLabelled(place: string, toLabel: (label: string) => string | undefined): Promise<DetectionModel> {
  const model = await openDetectionModel(place);
  const unknown = model.labels.filter((label) => toLabel(label) === undefined);
  if (unknown.length === 0) return model;
  await model.close();
  throw new AppError(
    'PAGE_MODEL_INVALID',
    `'${path.join(place, 'config.json')}' names unknown classes: '${unknown.join("', '")}'.`,
  );
}

function findRegion(label: string): RegionLabel | undefined {
  return regionLabels.find((regionLabel) => regionLabel === label) ?? labelAliases[label];
}

function findTablePart(label: string): TablePartLabel | undefined {
  return tablePartLabels.find((tablePartLabel) => tablePartLabel === label || `table_${tablePartLabel}` === label);
}

function mapLabels<Label>(toLabel: (label: string) => Label | undefined) {
  return ({ label, score, box }: Detection<string>): Detection<Label> => ({
    label: toLabel(label) as Label,
    score,
    box,
  });
}

async function detectIn(
  model: DetectionModel,
  { bytes, turned }: PageImage,
  part?: ShareBox,
): Promise<Detection<string>[]> {
  const page = await readPixels(bytes, turned);
  if (!part) return model.detect(page, minScore);
  const [across, down] = [page.width, page.height];
  const seen = { x0: part.x0 * across, y0: part.y0 * down, x1: part.x1 * across, y1: part.y1 * down };
  return model.detect(cropPixels(page, seen), minScore);
}
