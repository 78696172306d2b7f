// The runs of folder 05 of scripts/graph-conformance.js: the whole pipeline with a scripted model, and runs that fail.
'use strict';
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const {
  graphs,
  work,
  read,
  json,
  exists,
  graph,
  note,
  keys,
  parsed,
  show,
  difference,
  firstDifference,
  compareFile,
  countWords,
} = require('./graph-conformance-tools.js');

const { TypedValue } = graphs;
/** The runs of the whole pipeline: a scripted model answers as it did there, by the kind of the question and in turn. */
function scriptedModel(calls) {
  const left = new Map();
  for (const { schema_name: kind, response } of calls) left.set(kind, [...(left.get(kind) ?? []), response]);
  return {
    hasStructuredOutput: true,
    async ask({ name }) {
      const answer = left.get(name)?.shift() ?? {};
      if (typeof answer === 'string') throw new Error(answer);
      return { text: JSON.stringify(answer) };
    },
  };
}

/** The template of a run: the schema that its model was sent, and the identities that its graph names. */
function runTemplate(dir) {
  const cases = [dir, path.join(dir, '..', 'direct-standard')];
  const schemas = cases.flatMap((one) => json(one, 'llm_calls.json').map(({ schema }) => schema));
  const schema = structuredClone(schemas.find((one) => one.title));
  const graph = cases.map((one) => path.join(one, 'output/docling_graph/graph.json')).filter(existsSync);
  const ids = Object.assign(
    {},
    ...graph.toReversed().map((file) => parsed(readFileSync(file, 'utf8')).graph.id_fields_map),
  );
  const marked = structuredClone(schema);
  for (const [name, body] of [[schema.title, marked], ...Object.entries(marked.$defs ?? {})])
    body.graph_id_fields = ids[name] ?? [];
  return { ...graphs.templateFrom(marked), schema };
}

/** The options of a run that the library knows; who answers and in which form is settled here. */
const settled = new Set(['backend', 'profile', 'inference', 'docling_config', 'provider_override', 'model_override']);
const runOptions = Object.keys(graphs.PipelineOptions.properties).filter((name) => !settled.has(name));

async function scriptedRun(dir) {
  const bytes = readFileSync(path.join(dir, '..', 'document.json'));
  const given = json(dir, 'config.json');
  const options = Object.fromEntries(
    runOptions.flatMap((name) => ((given[name] ?? null) === null ? [] : [[name, given[name]]])),
  );
  const { documentFromJson } = require('../dist/document/json/json.js');
  return graphs.atPeerStage('Extraction', () =>
    graphs.runPipeline({
      source: documentFromJson(bytes.toString()),
      template: runTemplate(dir),
      model: scriptedModel(json(dir, 'llm_calls.json')),
      options: { ...options, profile: 'peer' },
      sourceName: given.source,
      documentId: graphs.contentHash(bytes),
      countTokens: countWords,
    }),
  );
}

/** Runs that never come to the model, by the command; the sources and templates that they lack are those of their names. */
async function failedRun(name, dir) {
  const { template } = json(dir, 'config.json');
  const sources = {
    'missing-source': '/nope/file.pdf',
    'graph-json-as-source': path.join(dir, '../../01-invoice/graph.json'),
  };
  const source = sources[name] ?? path.join(dir, '..', 'document.json');
  const known = path.join(dir, '../../01-invoice/template.json');
  const wanted = name in sources ? known : template;
  const output = path.join(work, name);
  const { code, text } = await graph('extract', source, '-t', wanted, '-o', output, '--profile', 'peer', '--json');
  return code === 0 ? { error: 'none' } : JSON.parse(text);
}

/** The report, with the contract as it was asked for; that of a run with `debug` holds times, which a library without a clock has not. */
function writeReport(dir, made, sourceModels) {
  const { extraction_contract: contract = 'auto' } = json(dir, 'config.json');
  return graphs.graphReport(made, { profile: 'peer', sourceModels, generatedAt: 'now', extraction: { contract } });
}

async function runCase(name, dir) {
  const want = json(dir, 'result.json');
  const output = path.join(dir, 'output/docling_graph');
  if (want.error && !existsSync(output)) {
    const isAsked = json(dir, 'llm_calls.json').length > 0;
    const asError = (error) => ({ error: error.name, details: error.details });
    const have = isAsked ? await scriptedRun(dir).then(() => ({ error: 'none' }), asError) : await failedRun(name, dir);
    const facts = ({ error, details }) => [error, keys(details), details?.stage, details?.error_type, details?.reason];
    const same = isDeepStrictEqual(facts(want), facts(have));
    return note('runs', name, same ? undefined : `expected ${show(facts(want))}, got ${show(facts(have))}`);
  }
  const { graph: made, extracted_models: models, provenance } = await scriptedRun(dir);
  if (want.models) {
    const have = withoutEmpty(models);
    note('runs', `${name}/models`, difference(withoutEmpty(want.models), have));
  }
  const written = path.join(work, name);
  mkdirSync(written, { recursive: true });
  const profile = 'peer';
  const files = {
    'graph.json': () => graphs.writeJson(made, { profile }),
    'nodes.csv': () => graphs.writeNodesCsv(made, { profile }),
    'edges.csv': () => graphs.writeEdgesCsv(made, { profile }),
    'report.md': () => [writeReport(dir, made, models.length)],
  };
  for (const [file, write] of Object.entries(files)) {
    if (file === 'report.md' && json(dir, 'config.json').debug) {
      note('runs (times are not compared)', `${name}/${file}`, undefined);
      continue;
    }
    writeFileSync(path.join(written, file), [...write()].join(''));
    compareFile('runs', `${name}/${file}`, path.join(output, file), path.join(written, file));
  }
  compareDocument(name, path.join(dir, 'output/docling'), path.join(dir, '..', 'document.json'));
  if (!exists(output, 'provenance.json'))
    return note('runs', `${name}/ledger`, provenance && 'a ledger was not expected');
  note('runs', `${name}/ledger`, difference(ledgerFacts(json(output, 'provenance.json')), ledgerFacts(provenance)));
}

/** The exports of the document; its DocLang and the list of chunks, which is in that markup too, are not compared. */
function compareDocument(name, folder, source) {
  const { documentFromJson } = require('../dist/document/json/json.js');
  const { documentToJson } = require('../dist/document/json/write.js');
  const { toMarkdown, toMarkdownPages } = require('../dist/document/index.js');
  const document = documentFromJson(readFileSync(source, 'utf8'));
  const pages = toMarkdownPages(document).map(({ page, text }) => [
    `document_pages/page_${String(page).padStart(3, '0')}.md`,
    text,
  ]);
  for (const [file, text] of [['document.md', toMarkdown(document)], ...pages])
    if (exists(folder, file)) {
      const want = read(folder, file);
      note('runs', `${name}/${file}`, want === text ? undefined : firstDifference(want, text));
    }
  if (exists(folder, 'document.json'))
    note(
      'runs',
      `${name}/document.json`,
      difference(json(folder, 'document.json'), JSON.parse(documentToJson(document))),
    );
}

/** Decimals of a model are numbers or their digits; what is empty may be left out. */
function withoutEmpty(value) {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (value instanceof TypedValue) return Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === null || (Array.isArray(member) && member.length === 0) ? [] : [[key, withoutEmpty(member)]],
    ),
  );
}

/** What does not hang on the markup in which the peer shows a chunk to its model. */
function ledgerFacts({ version, document, chunks, nodes, bind_stats }) {
  const { document_id, source, input_type, page_count, template_name, template_schema_hash } = document;
  const chunkFacts = Object.values(chunks).map((chunk) => [
    chunk.chunk_id,
    chunk.page_numbers,
    chunk.doc_item_refs,
    chunk.headings,
    chunk.item_geometry.map(({ ref, page_no, bbox }) => [ref, page_no, bbox]),
  ]);
  const nodeFacts = Object.values(nodes).map((node) => [
    node.identity_key,
    node.catalog_path,
    node.node_type,
    node.ids,
    node.anchors.map(({ chunk_id, kind }) => [chunk_id, kind]),
    node.notes,
  ]);
  return {
    version,
    document: [document_id, source, input_type, page_count, template_name, template_schema_hash],
    chunks: chunkFacts,
    nodes: nodeFacts.sort((left, right) => (left[0] < right[0] ? -1 : 1)),
    bind_stats,
  };
}

module.exports = { runCase };
