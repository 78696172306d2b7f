import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClient } from '../../client';
import { readConfig } from '../../model/config';
import type { FlowDefinition } from '../../model/flow/flow';
import { createTokens } from '../../services/login/tokens';
import { print, readNumber, runCommand } from '../support/command';
import { quantile } from '../support/http-load';
import { benchFolder, docloom, openStack } from '../support/stack';
import { buildCodedDocuments, codedClasses } from './coded-documents';
import {
  listHeldBackQuestions,
  buildLinkedDocuments,
  type LinkedDocument,
  type LinkedQuestion,
} from './linked-documents';

const usage = `usage: node dist/bench/graph/search.js [--companies N] [--questions N] [--held-back | --codes]

Indexes three generated documents for each of N companies (default 200) by a flow, builds their graph with a scripted model that knows
what the documents say, and asks questions that need two documents (default 150) through POST /api/v1/documents/search in the modes text,
hybrid and graph, and graph again through /mcp; with --held-back, twelve questions about other relations and twelve that need one
document; with --codes, about orders and invoices by numbers whose parts many documents share. Prints for each mode how
often all documents are among the first 5 and 10. Starts a docloom up in the data folder (DOCLOOM_DATA), which must not be running, and
stops it.`;

const modes = ['text', 'hybrid', 'graph'] as const;
const reader = 'bench';

const template = {
  root: 'Paper',
  classes: {
    Paper: {
      graph_scope: 'document',
      graph_id_fields: ['about'],
      fields: {
        about: { type: 'str' },
        order: { model: 'Order', edge_label: 'DESCRIBES' },
        company: { model: 'Company', edge_label: 'DESCRIBES' },
        person: { model: 'Person', edge_label: 'DESCRIBES' },
        invoice: { model: 'Invoice', edge_label: 'DESCRIBES' },
      },
    },
    ...codedClasses,
  },
};

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const companies = readNumber(argv, '--companies', 200);
  const { documents, questions } = (argv.includes('--codes') ? buildCodedDocuments : buildLinkedDocuments)(companies);
  const model = await startModel(documents);
  process.env['LOCALMODEL_HOST'] = model.url;
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  const stack = await openStack(dataDir);
  const env: Record<string, string | undefined> = { ...process.env, ...stack.info.env };
  try {
    const secret = env['JWT_SECRET_KEY'] ?? readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8').trim();
    const user = { username: reader, email: '', full_name: '', groups: [] };
    const token = createTokens({ secret, expireMinutes: 600 }).issue(user);
    const client = createClient({ baseUrl: stack.info.apiAddress, token });
    const name = `graph-search-${Date.now()}`;
    await ingest(documents, { dataDir, name, env });
    const set = (await client.documentSets.list({ name })).items[0]?.id ?? '';
    const graph = await client.graphs.create({
      name,
      document_set_id: set,
      template,
      options: { backend: 'llm', gleaning_enabled: false, provider_config: { model_id: 'm', protocol: 'openai' } },
    });
    const { state, error } = await client.graphs.finished(graph.id);
    const { nodes, edges } = await client.graphs.statistics(graph.id);
    print(
      `${documents.length} documents, graph ${state}${error ? ` (${error.message})` : ''}: ${nodes} nodes, ${edges} relations`,
    );
    const step = Math.max(1, Math.floor(questions.length / readNumber(argv, '--questions', 150)));
    const asked = argv.includes('--held-back') ? listHeldBackQuestions(companies) : questions.filter((_question, at) => at % step === 0); // prettier-ignore
    const givenGraph = { graph: graph.id };
    for (const mode of modes) {
      const search = async (query: string) => {
        const more = mode === 'graph' ? givenGraph : {};
        const { documents: hits } = await client.documents.search({ query, mode, limit: 10, ...more });
        return hits.map(({ content }) => content);
      };
      print(`${mode.padEnd(6)}: ${await measureSearch(search, asked, documents)}`);
    }
    const mcp = await connectMcp(stack.info.apiAddress, token);
    const search = (query: string) => mcp.search({ query, mode: 'graph', limit: 10, ...givenGraph });
    print(`graph through /mcp: ${await measureSearch(search, asked, documents)}`);
    await mcp.close();
    return 0;
  } finally {
    await stack.close();
    await model.stop();
  }
}

/** How often all needed documents are among the first hits, by kind of question. */
async function measureSearch(
  search: (query: string) => Promise<string[]>,
  asked: readonly LinkedQuestion[],
  documents: readonly LinkedDocument[],
): Promise<string> {
  const [found, times] = [new Map<string, [number, number, number]>(), [] as number[]];
  for (const { kind, text: query, needs } of asked) {
    const began = performance.now();
    const contents = await search(query);
    times.push(performance.now() - began);
    const ids = contents.map((content) => documents.find(({ text }) => content.includes(text))?.id);
    const known = found.get(kind) ?? [0, 0, 0];
    found.set(kind, known);
    known[0] += 1;
    for (const [at, most] of [5, 10].entries())
      if (needs.every((id) => ids.slice(0, most).includes(id))) known[at === 0 ? 1 : 2] += 1;
  }
  const share = (count: number, all: number) => `${Math.round((100 * count) / all)} %`;
  const kinds = [...found].map(([kind, [all, five, ten]]) => `${kind} ${share(five, all)}, ${share(ten, all)}`);
  return `all among the first 5, 10: ${kinds.join('; ')}; p50 ${quantile(times, 0.5).toFixed(0)} ms (${asked.length})`;
}

/** Searches as an agent does, through the tool `search_documents`. */
async function connectMcp(apiAddress: string, token: string) {
  const client = new Client({ name: 'bench', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${apiAddress}/mcp`), { requestInit }));
  return {
    async search(input: Record<string, unknown>): Promise<string[]> {
      const { content, isError } = await client.callTool({ name: 'search_documents', arguments: input });
      const [answer] = content as { text: string }[];
      if (isError || !answer) throw new Error(`The tool failed: ${answer?.text}`);
      return (JSON.parse(answer.text) as { passages: { text: string }[] }).passages.map(({ text }) => text);
    },
    close: () => client.close(),
  };
}

/** Answers with what the document in the question says. */
async function startModel(documents: readonly LinkedDocument[]) {
  const http = createServer((request, response) => {
    void readText(request).then((body) => {
      const prompt = (JSON.parse(body) as { messages: { content: string }[] }).messages
        .map(({ content }) => content)
        .join('\n');
      const document = documents.find(({ text }) => prompt.includes(text));
      const content = JSON.stringify(
        document ? { about: document.id, [document.root.toLowerCase()]: document.values } : {},
      );
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices }));
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: async () => void http.close() };
}

/** One record for each document, in a document set and in the index. */
async function ingest(
  documents: readonly LinkedDocument[],
  { dataDir, name, env }: { dataDir: string; name: string; env: Record<string, string | undefined> },
): Promise<void> {
  const work = path.join(benchFolder(dataDir), name);
  await mkdir(path.join(work, 'documents'), { recursive: true });
  for (const { id, text } of documents)
    await writeFile(path.join(work, 'documents', `${id.replace(' ', '-')}.md`), `${text}\n`);
  const flow: FlowDefinition['flow'] = [
    {
      type: 'ingest_source',
      name: 'ingest',
      config: {
        provider: 'filesystem',
        connection_params: { paths: [path.join(work, 'documents')], allowed_users: [reader] },
      },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
    { type: 'document_set', name: 'store', depends_on: ['extract'], config: { document_set_name: name } },
    { type: 'embeddings', name: 'embed', depends_on: ['extract'], config: {} },
    { type: 'vectordb', name: 'index', depends_on: ['embed'], config: { provider: 'opensearch', index_name: name } },
  ];
  const file = path.join(work, 'flow.json');
  await writeFile(file, JSON.stringify({ flow_name: name, flow }, null, 2));
  const child = spawn(process.execPath, [docloom, 'run', file, '--json', '--user', reader], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([readText(child.stdout), once(child, 'exit') as Promise<[number]>]);
  await rm(work, { recursive: true, force: true });
  if (code !== 0) throw new Error(`docloom run ended with exit code ${code}: ${output.slice(0, 2_000)}`);
}

runCommand(main);
