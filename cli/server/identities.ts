import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Client, IdentityMapInput, IdentityMapReply, IdentityReply } from '../../client';
import { AppError } from '../../model/errors';
import { identityStates } from '../../model/identity/map';
import { requireText } from '../convert/option-values';
import { connectServer, serverFlag } from './connect';
import type { ServerChoice } from './remote';

interface Options extends ServerChoice {
  json?: boolean;
  state?: string;
}

const pageSize = 100;

/** `docloom identities`: the maps between accounts of sources and logins. */
export function createIdentitiesCommand(): Command {
  const command = new Command('identities')
    .description('Shows, writes and synchronizes the maps between accounts of sources and logins. For administrators.')
    .addHelpText('after', '\nAccounts without a login: docloom identities show MAP --state unmapped');
  const define = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .option(...serverFlag)
      .option('--user <name>', 'the user to act as (default: an administrator, on the machine of the API)', requireText)
      .option('--json', 'print JSON');
  define('list', 'Lists the maps with their last sync.').action(list);
  define('show', 'Lists the accounts of a map with their logins.')
    .argument('<map>', 'name of the map')
    .option('--state <state>', `only accounts of this state: ${identityStates.join(', ')}`)
    .action(show);
  define('set', 'Creates or replaces a map, and synchronizes it.')
    .argument('<map>', 'name of the map')
    .argument('<file.json>', 'the map: places, directory, match, pairs')
    .action(set);
  define('sync', 'Reads the accounts and groups of a map now.').argument('<map>', 'name of the map').action(sync);
  define('remove', 'Removes a map: its accounts no longer give access to documents.')
    .argument('<map>', 'name of the map')
    .action(remove);
  return command;
}

async function list(options: Options): Promise<void> {
  const { client } = await connectServer(options);
  const maps = await listAllMaps(client.identityMaps);
  print(options, maps, () => (maps.length === 0 ? 'There are no identity maps.\n' : maps.map(describe).join('')));
}

/** The maps of all pages. */
export function listAllMaps(maps: Pick<Client['identityMaps'], 'list'>): Promise<IdentityMapReply[]> {
  return readPages((page) => maps.list(page));
}

async function readPages<Item>(
  readPage: (page: { limit: number; offset: number }) => Promise<{ items: Item[]; total: number }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const page = await readPage({ limit: pageSize, offset: items.length });
    items.push(...page.items);
    if (page.items.length === 0 || items.length >= page.total) return items;
  }
}

async function show(map: string, options: Options): Promise<void> {
  const state = identityStates.find((identityState) => identityState === options.state);
  if (options.state !== undefined && state === undefined)
    throw new AppError('VALIDATION_ERROR', `--state is '${options.state}'; expected ${identityStates.join(', ')}.`);
  const { client } = await connectServer(options);
  const accounts = await readPages((page) =>
    client.identityMaps.identities(map, { ...(state ? { state } : {}), ...page }),
  );
  print(options, accounts, () => accounts.map(describeAccount).join(''));
}

async function set(map: string, file: string, options: Options): Promise<void> {
  const { client } = await connectServer(options);
  const identityMap = await client.identityMaps.put(map, await readMap(file));
  print(options, identityMap, () => formatSync(identityMap));
}

async function sync(map: string, options: Options): Promise<void> {
  const { client } = await connectServer(options);
  const identityMap = await client.identityMaps.sync(map);
  print(options, identityMap, () => formatSync(identityMap));
}

/** The outcome of a sync. If a worker has to read the accounts, the reply is the state before, which is no outcome. */
export function formatSync(identityMap: IdentityMapReply): string {
  const { map_id, directory = 'given' } = identityMap;
  return directory === 'given' ? describe(identityMap) : `A worker synchronizes ${map_id}.\n`;
}

async function remove(map: string, options: Options): Promise<void> {
  const { client } = await connectServer(options);
  await client.identityMaps.remove(map);
  print(options, { removed: map }, () => `Removed ${map}.\n`);
}

function describeAccount({ account, name, state, login, by }: IdentityReply): string {
  return `${account.padEnd(12)} ${(name ?? '').padEnd(20)} ${login === null ? state : `→ ${login} (${by})`}\n`;
}

function print({ json }: Options, value: unknown, formatText: () => string): void {
  process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : formatText());
}

function describe({ map_id, places, sync }: IdentityMapReply): string {
  const { synced_at, age_seconds, is_fresh, is_closed, error, mapped, unmapped, ambiguous, groups } = sync;
  const age = age_seconds === null ? 'never synchronized' : `synchronized ${age_seconds} s ago (${synced_at})`;
  const freshness = is_fresh ? 'fresh' : 'older than promised';
  const state = is_closed ? 'CLOSED: nobody has an account' : freshness;
  return [
    `${map_id}: ${age}, ${state}\n`,
    `  ${mapped} mapped, ${unmapped} unmapped, ${ambiguous} ambiguous, ${groups} groups\n`,
    ...(unmapped + ambiguous > 0 ? [`  Without a login: docloom identities show ${map_id} --state unmapped\n`] : []),
    ...places.map((place) => `  ${place}\n`),
    ...(error ? [`  The sync of ${error.at} failed: ${error.code}: ${error.message}\n`] : []),
  ].join('');
}

async function readMap(file: string): Promise<IdentityMapInput> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as IdentityMapInput;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('VALIDATION_ERROR', `The map in '${file}' cannot be read: ${reason}.`, {}, error);
  }
}
