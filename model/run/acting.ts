import type { User } from '../access';

/** Who takes part in a run: whoever starts it, and whoever edited its flow last. Groups as far as they are known. */
export type Person = Pick<User, 'username' | 'groups'>;

/** Whose role decides what a run may do. */
export interface Roles {
  adminGroups: readonly string[];
  /** `user:NAME`, `group:NAME`, or a name that is either; empty means the members of `adminGroups`. */
  ingestPrincipals: readonly string[];
}

/** For whom a run acts. It is fixed when the run is made and is part of its record. */
export interface Acting {
  /** Users who must all be able to read a document before the run sees it. Empty: the run ingests for everybody. */
  readers: string[];
  /** Users who must all be allowed to write into an index of another job. Empty: the run acts for administrators. */
  writers: string[];
  /** The owner of what the job makes: of the flow if the run shares its job, otherwise of the run. */
  job_owner: string;
  /** Who must all be allowed to use a connection; absent where that is the owner of the run alone. */
  people?: Person[];
}

/** True for users who may ingest documents that they may not read themselves. */
export function mayIngestForAll(person: Person, { adminGroups, ingestPrincipals }: Roles): boolean {
  if (ingestPrincipals.length === 0) return person.groups.some((group) => adminGroups.includes(group));
  const names = [person.username, `user:${person.username}`];
  const groups = person.groups.flatMap((group) => [group, `group:${group}`]);
  return [...names, ...groups].some((name) => ingestPrincipals.includes(name));
}

/** A run has the rights that all of these people have, and no more. */
export function actingFor(people: readonly Person[], roles: Roles, jobOwner: string): Acting {
  const names = (found: readonly Person[]) => [...new Set(found.map(({ username }) => username))];
  return {
    readers: names(people.filter((person) => !mayIngestForAll(person, roles))),
    writers: names(people.filter(({ groups }) => !groups.some((group) => roles.adminGroups.includes(group)))),
    job_owner: jobOwner,
    people: people.map(({ username, groups }) => ({ username, groups: [...groups] })),
  };
}

/** Who must all be allowed to use a connection before the run may. */
export function peopleOf(run: { owner: string; acting?: Acting }): Person[] {
  return run.acting?.people ?? [{ username: run.owner, groups: [] }];
}

/** What a run may do that trusted people start on the machine of the servers, such as `docloom run`. */
export function actingForEverybody(jobOwner: string): Acting {
  return { readers: [], writers: [], job_owner: jobOwner };
}

/** Runs that were made before this was recorded act for their owner alone. */
export function actingOf(run: { owner: string; acting?: Acting }): Acting {
  return run.acting ?? { readers: [run.owner], writers: [run.owner], job_owner: run.owner };
}

/** Whether a run sees a document: everybody whom it acts for must be able to read it. */
export function seesDocument(readers: readonly string[], allowedUsers: readonly string[]): boolean {
  return readers.every((reader) => allowedUsers.includes(reader));
}
