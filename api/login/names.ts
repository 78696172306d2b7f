import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { type KnownName, KnownNames, NameKind } from '../../model/login/wire-names';
import type { RequestContext } from '../http/policies';
import { route } from '../http/route';

/** Names come from at most this many projects. */
const maxProjects = 200;

interface NameSearch {
  kinds: readonly KnownName['kind'][];
  text: string;
  limit: number;
}
type Found = Pick<KnownNames, 'directory' | 'is_cut' | 'names'>;

export const searchKnownNames = route({
  method: 'GET',
  path: '/api/v1/names',
  operationId: 'searchNames',
  summary: 'Users and groups whose names begin with a text, for lists of readers and members.',
  description:
    'Administrators get those of the directory, and of everybody who logged in. Everybody else gets only names that they see anyway: the owners and members of their projects, and their own groups.',
  query: Type.Object({
    text: Type.Optional(
      Type.String({ maxLength: 100, default: '', description: 'The beginning of a name or address.' }),
    ),
    kind: Type.Optional(NameKind),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Of each kind.' })),
  }),
  replies: { 200: KnownNames },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ query: { text = '', kind, limit = 20 }, ...context }) => {
    const search = { kinds: kind ? [kind] : (['user', 'group'] as const), text: text.trim(), limit };
    return isAdmin(context.user, context.options.adminGroups) ? findAll(search, context) : findOwn(search, context);
  },
});

async function findAll(search: NameSearch, { services }: RequestContext): Promise<Found> {
  const { kinds, text, limit } = search;
  const accounts = await services.accounts.search({ text, limit: limit + 1 });
  const { names, directory, isCut } = await askDirectory(search, services);
  const add = (name: KnownName) => {
    if (!names.some((other) => other.kind === name.kind && other.name === name.name)) names.push(name);
  };
  for (const { username: name, full_name, email } of accounts.people)
    add({ kind: 'user', name, from: 'logins', ...(full_name ? { full_name } : {}), ...(email ? { email } : {}) });
  for (const name of accounts.groups) add({ kind: 'group', name, from: 'logins' });
  return { directory, ...limitNames(names, { kinds, limit, isCut }) };
}

/** A directory that does not answer hides nobody who logged in. */
async function askDirectory({ kinds, text, limit }: NameSearch, { directory }: RequestContext['services']) {
  const names: KnownName[] = [];
  if (!directory.search) return { names, directory: 'not_configured' as const, isCut: false };
  let isCut = false;
  try {
    for (const kind of kinds) {
      const entries = await directory.search({ kind, text, limit });
      names.push(...entries.names.map((name) => ({ kind, ...name, from: 'directory' as const })));
      isCut ||= entries.isCut;
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { names, directory: 'unavailable' as const, isCut };
  }
  return { names, directory: 'searched' as const, isCut };
}

/** Never asks the directory: its response time could reveal who is in it. */
async function findOwn({ kinds, text, limit }: NameSearch, { user, services }: RequestContext): Promise<Found> {
  const { items } = await services.projects.list(user, { limit: maxProjects, offset: 0 });
  const people = new Set([user.username, ...items.flatMap(({ owner, members }) => [owner, ...members])]);
  const begins = (name: string) => name.toLowerCase().startsWith(text.toLowerCase());
  const names: KnownName[] = [
    ...[...people].filter(begins).map((name) => ({ kind: 'user' as const, name, from: 'projects' as const })),
    ...[...new Set(user.groups)]
      .filter(begins)
      .map((name) => ({ kind: 'group' as const, name, from: 'logins' as const })),
  ];
  return { directory: 'for_administrators', ...limitNames(names, { kinds, limit, isCut: false }) };
}

function limitNames(
  names: readonly KnownName[],
  { kinds, limit, isCut }: Pick<NameSearch, 'kinds' | 'limit'> & { isCut: boolean },
): Pick<KnownNames, 'names' | 'is_cut'> {
  const sortedNames = kinds.map((kind) =>
    names.filter((name) => name.kind === kind).toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
  );
  return {
    names: sortedNames.flatMap((some) => some.slice(0, limit)),
    is_cut: isCut || sortedNames.some((some) => some.length > limit),
  };
}
