// The tables of folder 08 of scripts/graph-conformance.js: single functions, row by row.
'use strict';
const { isDeepStrictEqual } = require('node:util');
const { graphs, read, exists, note, parsed, show, countWords } = require('./graph-conformance-tools.js');

const { asPython, TypedValue } = graphs;
/** Tables of single functions. */
function vectorGroup(dir) {
  const load = (name) => require(`../dist/graph/${name}.js`);
  const each = (file, check) => {
    if (!exists(dir, file)) return;
    let count = 0;
    const same = (want, have, of) => {
      count++;
      const problem = isDeepStrictEqual(want, have)
        ? undefined
        : `expected ${show(want)}, got ${show(have)} of ${show(of)}`;
      note('vectors', `${file} ${count}`, problem);
    };
    check(parsed(read(dir, file)), same);
  };
  const { canonicalText } = load('core/identity');
  const { hashBlake2b } = load('peer/blake2b');
  const { mergeViews } = load('core/provenance-views');
  const { joinTexts, foldAttributes } = load('merge/fold');
  const { toTitle, toShortText } = load('write/report');
  const { schemaHash } = load('core/identity');
  each('identity-normalization.json', (table, same) => {
    for (const [text, want] of table.name_style ?? []) same(want, canonicalText('name', text, 'peer'), text);
    for (const [value, want] of table.other_style ?? [])
      if (typeof value === 'string') same(want, canonicalText('code', value, 'peer'), value);
  });
  each('schema-hash.json', ({ rows }, same) => {
    for (const { template, schema, template_schema_hash, hash } of rows)
      same(template_schema_hash ?? hash, schemaHash(schema), template);
  });
  each('hashes.json', (table, same) => {
    for (const [text, want] of table['text_hash(blake2b-8)'] ?? []) same(want, hashBlake2b(text, 8), text);
    for (const [text, want] of table['content_hash(blake2b-16)'] ?? []) same(want, hashBlake2b(text, 16), text);
  });
  each('provenance-view-merge.json', (table, same) => {
    for (const [left, right, want] of table) same(want, mergeViews(left, right), [left, right]);
  });
  each('merge-descriptions.json', (table, same) => {
    for (const [left, right, most, want] of table) same(want, joinTexts(left, right, most), [left, right]);
  });
  each('fold-rules.json', (table, same) => {
    for (const { policy: conflicts, survivor, incoming, result, conflicts: wanted } of table) {
      const policy = { conflicts, combine_fields: ['description', 'summary'], description_max_length: 4096 };
      const records = foldAttributes(survivor, incoming, { policy, source: 'src' });
      same({ result, wanted }, { result: survivor, wanted: records }, incoming);
    }
  });
  each('report-formatting.json', (table, same) => {
    for (const [key, want] of table.key ?? []) same(want, toTitle(key), key);
    for (const [value, want] of table.value_max100 ?? []) same(want, toShortText(value), value);
  });
  const { findLiteral, findLedgerKey } = load('provenance/provenance');
  each('anchor-scan.json', (table, same) => {
    const chunks = Object.entries(table.chunks).map(([id, text]) => createChunk(Number(id), text));
    const found = (text, among) => findLiteral(text, among).map(({ chunk, span }) => [chunk, span]);
    for (const [text, want] of table.rows) same(want, found(text, chunks), text);
    const everywhere = (count) => Array.from({ length: count }, (_, id) => createChunk(id, 'the same word'));
    same(table['too-common'], found('same', everywhere(7)), 'in 7 chunks');
    same(table['six-is-ok'], found('same', everywhere(6)).length, 'in 6 chunks');
  });
  const { chooseContract, computeInputTokens } = load('ask/contract');
  each('auto-contract.json', (table, same) => {
    for (const row of table) {
      const facts = {
        contentChars: row.content_chars,
        outputTokens: row.output_budget_tokens,
        ...(row.context_limit_tokens === null ? {} : { contextTokens: row.context_limit_tokens }),
        canChunk: row.chunking_available,
      };
      const have = [chooseContract(facts).contract, computeInputTokens(facts.contentChars)];
      same([row.contract, row.estimated_input_tokens], have, facts);
    }
  });
  const { splitByTokens } = require('../dist/document/chunk/split.js');
  each('chunk-text-fallback.json', ({ rows: table, max_tokens: most }, same) => {
    for (const [text, want] of table)
      same(want, countWords(text) <= most ? [text] : splitByTokens(text, most, countWords), text);
  });
  const { PipelineOptions } = load('pipeline-options');
  each('config-defaults.json', ({ config }, same) => {
    for (const [name, want] of Object.entries(config)) {
      const own = PipelineOptions.properties[name];
      // No limit for chunks is that of 512 tokens; and not every option of a program is one of a library.
      if (own) same(name === 'chunk_max_tokens' ? 512 : want, own.default ?? null, name);
      else note('options of the peer without a counterpart', name, undefined);
    }
  });
  each('exceptions.json', (table, same) => {
    const error = (message, details, cause) => new graphs.GraphLibraryError(message, details, cause);
    const cause = Object.assign(new Error('why'), { name: 'ValueError' });
    same(table.str, graphs.errorText(error('msg', { a: 1, b: 'x' }, cause)), 'all parts');
    same(table.plain, graphs.errorText(error('m')), 'message alone');
    for (const name of ['ConfigurationError', 'ExtractionError', 'PipelineError'])
      same(true, table.classes.includes(name) && graphs[name].prototype instanceof graphs.GraphLibraryError, name);
  });
  const { buildRunFolder } = require('../dist/cli/graph/run-folder.js');
  each('filenames.json', (table, same) => {
    const at = new Date('2024-01-31T01:02:03Z');
    for (const [name, want] of table) same(want, buildRunFolder(name, at).replace('20240131_010203', '<ts>'), name);
  });
  each('identity-keys.json', (table, same) => {
    for (const [place, ids, fields, want] of table) same(want, findLedgerKey(place, ids, fields) ?? null, ids);
  });
  each('json-serializable.json', (table, same) => {
    for (const [kind, text, want] of table) {
      const value = liveValue(kind, text);
      if (value === undefined) note('vectors (no such values here)', `json-serializable.json ${kind}`, undefined);
      else same(want.json, graphs.jsonText(value), kind);
    }
  });
  const { buildAnswerSchema } = load('ask/answer-schema');
  each('response-format.json', (table, same) => {
    for (const { template, schema, response_format_json_schema: want } of table)
      same(want.schema, buildAnswerSchema(schema), template);
  });
}

const createChunk = (id, text) => ({ id, text, headings: [], pages: [], boxes: [] });

/** What a row of the table was made of: the name of its kind, and Python's text of it. */
function liveValue(kind, text) {
  const typed = (type, value = text) => new TypedValue(type, value);
  const values = {
    date: () => typed('date'),
    datetime: () => typed('datetime', text.replace(' ', 'T')),
    'datetime+tz': () => typed('datetime', text.replace(' ', 'T')),
    time: () => typed('time'),
    UUID: () => typed('uuid'),
    Path: () => typed('path'),
    'set of int': () => asPython([1, 3, 20], 'set'),
    'set of str': () => asPython(['a', 'b'], 'set'),
    frozenset: () => asPython(['z'], 'set'),
    'bytes utf8': () => typed('bytes', '\u00e9'),
    'bytes invalid': () => typed('bytes', '\ufffd\u0000'),
    Enum: () => new TypedValue('enum', 'goods', { name: 'Kind.GOODS', isString: false }),
    BaseModel: () => asPython({ x: 1, d: typed('date', '2024-01-01') }, { model: 'M' }),
  };
  return kind.startsWith('Decimal') ? typed('decimal') : values[kind]?.();
}

module.exports = { vectorGroup };
