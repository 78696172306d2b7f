import type { Config } from './config';

/** A server of this installation, which nobody reaches but its own client. */
export interface OwnServer {
  host: string;
  port: number;
  /** True where the address may be shared with others when it is public, as that of a storage vendor. */
  onlyPrivate?: boolean;
}

/** Whom flows, conversions, callbacks and targets may reach besides public addresses. Plain data, so that it can cross into threads. */
export interface NetworkRules {
  /** Entries of DOCLOOM_ALLOWED_HOSTS. */
  allowed: readonly string[];
  /** Never reached, whatever is allowed. */
  own: readonly OwnServer[];
}

/** The settings that the rules are made of; those that are absent name no server. */
export type NetworkConfig = Pick<Config, 'DOCLOOM_ALLOWED_HOSTS'> &
  Partial<
    Pick<
      Config,
      | 'MONGODB_URL'
      | 'TEMPORAL_ADDRESS'
      | 'TEMPORAL_UI_ADDRESS'
      | 'SEARCH_HOST'
      | 'SEARCH_PORT'
      | 'LDAP_SERVER'
      | 'DOCLOOM_STORAGE'
      | 'DOCLOOM_S3_ENDPOINT'
      | 'PIPE_STORAGE_BACKEND'
      | 'PIPE_POSTGRES_HOST'
      | 'PIPE_POSTGRES_PORT'
    >
  >;

/** The rules as the environment has them. The bucket for results is none of the own servers: its clients read it anyway, with keys. */
export function networkRules(config: NetworkConfig): NetworkRules {
  return { allowed: config.DOCLOOM_ALLOWED_HOSTS, own: ownServers(config) };
}

function ownServers(config: NetworkConfig): OwnServer[] {
  return [
    ...mongoServers(config.MONGODB_URL ?? ''),
    ...addressed(`temporal://${config.TEMPORAL_ADDRESS ?? ''}`, 7233),
    ...addressed(config.TEMPORAL_UI_ADDRESS),
    ...(config.SEARCH_HOST ? [{ host: config.SEARCH_HOST, port: config.SEARCH_PORT ?? 9200 }] : []),
    ...addressed(config.LDAP_SERVER),
    ...(config.DOCLOOM_STORAGE === 's3' ? addressed(config.DOCLOOM_S3_ENDPOINT).map(privately) : []),
    ...(config.PIPE_STORAGE_BACKEND === 'postgres' && config.PIPE_POSTGRES_HOST
      ? [{ host: config.PIPE_POSTGRES_HOST, port: config.PIPE_POSTGRES_PORT ?? 5432 }]
      : []),
  ];
}

const privately = (server: OwnServer): OwnServer => ({ ...server, onlyPrivate: true });

const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ldap:': 389, 'ldaps:': 636 };

function addressed(address: string | undefined, usualPort?: number): OwnServer[] {
  if (!address || !URL.canParse(address)) return [];
  const { protocol, hostname, port } = new URL(address);
  return hostname === '' ? [] : [{ host: hostname, port: Number(port) || (usualPort ?? usualPorts[protocol] ?? 0) }];
}

/** Connection strings may name several hosts; sockets are files, which no other client reaches. */
function mongoServers(url: string): OwnServer[] {
  const hosts = /^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? '';
  return hosts
    .split(',')
    .filter((host) => host !== '' && !/%2f/i.test(host))
    .flatMap((host) => addressed(`mongodb://${host}`, 27_017));
}
