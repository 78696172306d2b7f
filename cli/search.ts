import { Command, Option } from 'commander';
import { countNouns } from '../model/count-nouns';
import type { SearchRequestBody } from '../model/search/wire';
import { createIdentityMaps } from '../services/identity/maps';
import { createAccounts } from '../services/login/accounts';
import { createDirectory } from '../services/login/directory';
import { connectReaders } from '../services/login/readers';
import type { SearchRequest, SearchReply } from '../services/search/ports';
import { createSearch } from '../services/search/search';
import { connectMongo } from '../services/storage/mongo';
import { createConfiguredSealer } from '../services/storage/sealing/sealer-keys';
import { connectServers, getDefaultUser, requireInstallation } from './connect';
import { appendValue, requireText } from './convert/option-values';
import { createWholeNumberParser } from './convert/whole-number';
import { connectServer, serverFlag } from './server/connect';
import { findRemoteAddress } from './server/remote';

interface SearchOptions {
  server?: string;
  user?: string;
  limit: number;
  offset: number;
  mode: 'text' | 'vector' | 'hybrid' | 'graph';
  graph?: string[];
  store?: SearchRequest['store'];
  index?: string;
  json?: boolean;
}

/** `docloom search QUERY`: searches as a user; returns only documents that the user may read. */
export function createSearchCommand(): Command {
  return new Command('search')
    .description('Searches the indexed documents as a user; finds only documents whose access list names the user.')
    .argument('[query]', 'words to search in content, title and metadata; without any, all readable documents')
    .option(...serverFlag)
    .option('--user <name>', `user who searches (default: you, ${getDefaultUser()})`, requireText)
    .option('--limit <n>', 'results, 1 to 100', createWholeNumberParser(1, 100), 10)
    .option('--offset <n>', 'results to skip', createWholeNumberParser(0), 0)
    .addOption(
      new Option(
        '--mode <mode>',
        'text: by words; vector: by the vectors that are nearest to the query; hybrid: by both; graph: hybrid with the facts of --graph',
      )
        .choices(['text', 'vector', 'hybrid', 'graph'])
        .default('text'),
    )
    .option('--index <name>', 'only this index, by name or alias (default: all that flows have filled)')
    .option('--graph <id>', 'a graph of documents for the mode graph; repeatable', appendValue)
    .addOption(
      new Option('--store <store>', 'where to search (default: opensearch)').choices(['opensearch', 'pgvector']),
    )
    .option('--json', 'print the response of the API')
    .action(async (query: string | undefined, options: SearchOptions) => {
      const { limit, offset, mode, graph = [], store } = options;
      const request = { query, limit, offset, ...(store ? { store } : {}) };
      const remote = findRemoteAddress(options);
      // Only the API reads graphs.
      const { response, username } = await (remote !== undefined || mode === 'graph' || graph.length > 0
        ? searchThere({ ...request, mode, ...(graph.length > 0 ? { graph } : {}) }, options)
        : searchHere({ ...request, ...(mode === 'text' ? {} : { mode }) }, options));
      process.stdout.write(options.json ? `${JSON.stringify(response, null, 2)}\n` : formatHits(response, username));
      process.stderr.write(formatHint(response, username, { ...options, remote }));
    });
}

interface SearchOutcome {
  response: SearchReply;
  username: string;
}

async function searchHere(requested: SearchRequest, { user, index }: SearchOptions): Promise<SearchOutcome> {
  const request = index === undefined ? requested : { ...requested, scope: { indexes: [index] } };
  requireInstallation();
  const servers = await connectServers((line) => process.stderr.write(`${line}\n`));
  const search = createSearch(servers.config);
  const mongo = connectMongo(servers.config.MONGODB_URL, createConfiguredSealer(servers.config));
  const accounts = createAccounts(mongo);
  const readers = connectReaders(servers.config, {
    accounts,
    directory: createDirectory(servers.config),
    identityMaps: createIdentityMaps(mongo, { accounts, clock: () => new Date() }),
  });
  try {
    const username = user ?? getDefaultUser();
    const reader = await readers.find(username);
    const response = await search.search({ ...reader, email: '', full_name: '', groups: [] }, request);
    return { response, username };
  } finally {
    await Promise.all([search.close(), mongo.close()]);
    await servers.close();
  }
}

async function searchThere(request: SearchRequestBody, options: SearchOptions): Promise<SearchOutcome> {
  const isHere = findRemoteAddress(options) === undefined;
  // Without a name, a token of this machine would have the rights of an administrator.
  const { client } = await connectServer(isHere ? { user: options.user ?? getDefaultUser() } : options);
  const { index } = options;
  const indexRequest = index === undefined ? request : { ...request, index };
  const [response, { username }] = await Promise.all([client.documents.search(indexRequest), client.me()]);
  return { response, username };
}

/** Explains an empty result if access lists may be the cause. */
function formatHint(
  { total }: SearchReply,
  username: string,
  { user, index, json, remote }: SearchOptions & { remote: string | undefined },
): string {
  if (total > 0 || json) return '';
  const other = user === undefined && remote === undefined ? ' Search as another user with --user NAME.' : '';
  // Does not say whether the index exists: its name may reveal what others store in it.
  const elsewhere = index === undefined ? '' : ` Only the index '${index}' was searched; omit --index to search all.`;
  return `A search finds only documents whose access list names the user, here '${username}'.${other}${elsewhere}\n`;
}

/** Formats hits for people: title, location, beginning of the text. */
function formatHits({ documents, total, offset }: SearchReply, user: string): string {
  const lines = [`${countNouns(total, 'result')} for ${user}`];
  for (const [index, { id, title, content, metadata }] of documents.entries()) {
    const pages =
      Array.isArray(metadata['page_numbers']) && metadata['page_numbers'].length > 0
        ? `, page${metadata['page_numbers'].length > 1 ? 's' : ''} ${metadata['page_numbers'].join(', ')}`
        : '';
    lines.push(
      `${offset + index + 1}. ${title} (${getName(metadata, id)}${pages})`,
      `   ${content.replace(/\s+/g, ' ').slice(0, 140)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function getName(metadata: Record<string, unknown>, id: string): string {
  return typeof metadata['name'] === 'string' ? metadata['name'] : id;
}
