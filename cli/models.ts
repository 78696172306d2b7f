import path from 'node:path';
import { Command } from 'commander';
import { addPack, checkPack, type PackState, removePack } from '../embedded/model-packs';
import { addOwnModel, checkOwnModel, listOwnModels, type OwnModel } from '../embedded/packs/own-models';
import { readCacheFolder, readDataFolder, readModelsFolder } from '../embedded/paths';
import { formatBytes } from '../embedded/progress';
import { AppError } from '../model/errors';
import {
  describeArtifact,
  type EmbeddingPack,
  embeddingPacks,
  type ModelPack,
  modelPacks,
  recognitionPack,
  tableStructurePack,
} from '../model/llm/model-packs';
import { getBuiltinEmbedding } from '../services/embedding/builtin';
import { exitCodes } from './exit-codes';
import { formatTable } from './run/report';

const [defaultPack] = embeddingPacks as readonly [EmbeddingPack, ...EmbeddingPack[]];

/** `docloom models`: adds, lists, checks and removes trained models from ordinary packages. */
export function createModelsCommand(): Command {
  const models = new Command('models')
    .description(
      'Trained models that run inside Docloom without a network: lists, adds, checks and removes packs and your own reranking models in DOCLOOM_MODELS_FOLDER (~/.cache/docloom/models).',
    )
    .addHelpText(
      'after',
      '\nWithout a network: copy the models folder of another machine, or name it: docloom models add --from /media/models\nEvery file of a pack must have the SHA-256 of the manifest that comes with Docloom.\nA reranking model of your own: docloom models add NAME --from FOLDER --licence ID. A manifest with its checksums is written beside it.',
    );
  defineList(models);
  defineAdd(models);
  defineCheck(models);
  defineRemove(models);
  return models;
}

function defineList(models: Command): void {
  models
    .command('list', { isDefault: true })
    .description('Lists the packs with their licence and whether they are installed.')
    .option('--json', 'print the list as JSON')
    .action(({ json }: { json?: boolean }) => {
      const folder = readModelsFolder(process.env);
      const list = modelPacks.map((pack) => ({ ...buildSummary(pack), ...getState(checkPack(folder, pack)) }));
      const own = listOwnModels(folder).map((model) => ({ ...model, ...getState(checkOwnModel(folder, model)) }));
      if (json) printJson({ folder, packs: list, own });
      else process.stdout.write(formatPacks(folder, list) + formatOwnModels(own));
    });
}

function defineAdd(models: Command): void {
  models
    .command('add')
    .description(
      `Adds packs, from the package registry or from a folder. Default: ${defaultPack.name}. With another name and --from, adds a reranking model (ONNX cross-encoder) of your own.`,
    )
    .argument('[names...]', 'names of packs, or the name for a model of your own')
    .option(
      '--from <folder>',
      'a models folder of another machine, a folder with the package, or the folder of your model; no network is used',
    )
    .option('--licence <id>', 'licence of your model; default: the one that its README.md states')
    .option('--json', 'print {folder, packs} as JSON')
    .action(async (names: string[], { from, licence, json }: AddOptions) => {
      const folder = readModelsFolder(process.env);
      const [ownName, ...others] = names;
      if (ownName !== undefined && others.length === 0 && from !== undefined && !findPack(ownName)) {
        await addReranker(folder, { name: ownName, from: path.resolve(from), licence });
        if (json) printJson({ folder, packs: [{ name: ownName, outcome: 'added' }] });
        else
          printLine(
            `Added ${ownName}: ${path.join(folder, ownName)}\nTo use it, start Docloom with DOCLOOM_RERANK_TYPE=onnx DOCLOOM_RERANK_MODEL=${ownName}`,
          );
        return;
      }
      const packs: ModelPack[] = names.length === 0 ? [defaultPack] : names.map(requirePack);
      const outcomes: { name: string; outcome: string }[] = [];
      for (const pack of packs) {
        const outcome = await add(folder, pack, from);
        outcomes.push({ name: pack.name, outcome });
        if (!json) printLine(describeAdded(folder, pack, outcome));
      }
      if (json) printJson({ folder, packs: outcomes });
    });
}

function defineCheck(models: Command): void {
  models
    .command('check')
    .description('Compares every byte of the installed models with their manifests. Exits with 1 if one differs.')
    .option('--json', 'print {folder, packs} as JSON')
    .action(({ json }: { json?: boolean }) => {
      const folder = readModelsFolder(process.env);
      const packs = modelPacks.map((pack) => ({ ...pack, state: checkPack(folder, pack) }));
      const own = listOwnModels(folder).map((model) => ({ ...model, state: checkOwnModel(folder, model) }));
      const states = [...packs, ...own];
      if (states.some(({ state }) => typeof state === 'object')) process.exitCode = exitCodes.failed;
      if (json) {
        const list = (models: typeof states) => models.map(({ name, state }) => ({ name, ...getState(state) }));
        printJson({ folder, packs: list(packs), own: list(own) });
        return;
      }
      for (const { name, licence, state } of states) {
        if (state === 'installed') printLine(`ok      ${name} (${licence})`);
        if (typeof state === 'object') printLine(`broken  ${name}: ${state.problem}`);
      }
      if (states.every(({ state }) => state === 'absent')) printLine(`No model is installed in ${folder}.`);
    });
}

function defineRemove(models: Command): void {
  models
    .command('remove')
    .description('Removes packs and models of your own from the models folder.')
    .argument('<names...>', 'names of models')
    .option('--json', 'print {folder, packs} as JSON')
    .action((names: string[], { json }: { json?: boolean }) => {
      const folder = readModelsFolder(process.env);
      const own = listOwnModels(folder).map(({ name }) => name);
      const known = names.map((name) => (own.includes(name) ? name : requirePack(name).name));
      const packs = known.map((name) => ({ name, removed: removePack(folder, name) }));
      if (json) printJson({ folder, packs });
      else
        for (const { name, removed } of packs)
          printLine(removed ? `Removed ${name}.` : `${name} is not installed in ${folder}.`);
    });
}

function add(folder: string, pack: ModelPack, from: string | undefined) {
  return addPack(folder, pack, {
    dataDir: readDataFolder(process.env),
    cacheDir: readCacheFolder(process.env),
    env: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
    ...(from === undefined ? {} : { from: path.resolve(from) }),
  });
}

function describeAdded(folder: string, { name, licence }: ModelPack, outcome: string): string {
  const place = path.join(folder, name);
  const line =
    outcome === 'present' ? `${name} is already installed: ${place}` : `Added ${name} (${licence}): ${place}`;
  if (name === recognitionPack.name)
    return `${line}\nTo read images with it: docloom convert --ocr-engine ppocr, or ocr_preset ppocr in requests.`;
  if (name === tableStructurePack.name)
    return `${line}\nTo read tables with it: docloom convert --table-model slanet_plus, or table_structure_preset slanet_plus in requests.`;
  const { model_id: defaultModel } = getBuiltinEmbedding(folder);
  return defaultModel === undefined || defaultModel === name
    ? line
    : `${line}\nFlows that name no embedder use ${defaultModel}. To use ${name}, name it in the flow (type onnx), or remove the packs before it.`;
}

interface AddOptions {
  from?: string;
  licence?: string;
  json?: boolean;
}

/** Adds a model of the operator if it can rerank. */
async function addReranker(
  folder: string,
  { name, from, licence }: { name: string; from: string; licence: string | undefined },
): Promise<void> {
  const { openCrossEncoder } = await import('../services/embedding/cross-encoder');
  await addOwnModel(folder, { name, from, licence }, async (copy) => {
    try {
      await (await openCrossEncoder({ modelsFolder: folder, name: copy, threads: 1 })).close();
    } catch (error) {
      throw error instanceof AppError ? new AppError(error.code, error.message.replaceAll(copy, name)) : error;
    }
  });
}

function findPack(name: string): ModelPack | undefined {
  return modelPacks.find((modelPack) => modelPack.name === name);
}

function requirePack(name: string): ModelPack {
  const pack = findPack(name);
  if (pack) return pack;
  throw new AppError(
    'NOT_FOUND',
    `There is no model pack '${name}'. The packs are ${modelPacks.map((modelPack) => modelPack.name).join(', ')}.`,
  );
}

function buildSummary(pack: ModelPack | EmbeddingPack) {
  const { name, summary, licence, origin, artifact } = pack;
  const sizes = 'dimension' in pack ? { dimension: pack.dimension, maxTokens: pack.maxTokens } : {};
  return { name, summary, licence, origin, package: describeArtifact(artifact), bytes: artifact.bytes, ...sizes };
}

function getState(state: PackState): { state: string; problem?: string } {
  return typeof state === 'object' ? { state: 'broken', problem: state.problem } : { state };
}

function formatPacks(
  folder: string,
  list: readonly (ReturnType<typeof buildSummary> & ReturnType<typeof getState>)[],
): string {
  const rows = list.map(({ name, state, licence, bytes }) => [name, state, licence, formatBytes(bytes)]);
  const lines = formatTable(['pack', 'state', 'licence', 'download'], rows);
  const notes = list.map(({ name, summary, problem }) => `${name}: ${summary}${problem ? ` Broken: ${problem}.` : ''}`);
  return `Models folder ${folder}\n\n${lines.join('\n')}\n\n${notes.join('\n')}\n`;
}

function formatOwnModels(own: readonly (OwnModel & ReturnType<typeof getState>)[]): string {
  if (own.length === 0) return '';
  const rows = own.map(({ name, state, licence }) => [name, state, licence]);
  const problems = own.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: Broken: ${problem}.`]));
  const lines = [
    '',
    ...formatTable(['own model', 'state', 'licence'], rows),
    ...(problems.length > 0 ? ['', ...problems] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
