import type { Config } from './config';

/** A server of this installation that only its own client may reach. */
export interface OwnServer {
  host: string;
  port: number;
  /** True when the address is blocked only if it is private, as for storage vendors whose public address others share. */
  onlyPrivate?: boolean;
}

/**
 * The hosts that flows, conversions, callbacks and targets may reach in addition to public addresses. Plain data, so that
 * threads can receive it.
 */
export interface NetworkRules {
  /** Entries of DOCLOOM_ALLOWED_HOSTS. */
  allowed: readonly string[];
  /** Always blocked, even if allowed above. */
  own: readonly OwnServer[];
}

/** The settings that the rules are built from. Absent settings add no server. */
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

/** Builds the rules from the settings. The bucket for results is not an own server: its clients read it anyway, with keys. */
export function buildNetworkRules(config: NetworkConfig): NetworkRules {
  return { allowed: config.DOCLOOM_ALLOWED_HOSTS, own: listOwnServers(config) };
}

function listOwnServers(config: NetworkConfig): OwnServer[] {
  return [
    ...listMongoServers(config.MONGODB_URL ?? ''),
    ...readAddress(`temporal://${config.TEMPORAL_ADDRESS ?? ''}`, 7233),
    ...readAddress(config.TEMPORAL_UI_ADDRESS),
    ...(config.SEARCH_HOST ? [{ host: config.SEARCH_HOST, port: config.SEARCH_PORT ?? 9200 }] : []),
    ...readAddress(config.LDAP_SERVER),
    ...(config.DOCLOOM_STORAGE === 's3' ? readAddress(config.DOCLOOM_S3_ENDPOINT).map(markPrivate) : []),
    ...(config.PIPE_STORAGE_BACKEND === 'postgres' && config.PIPE_POSTGRES_HOST
      ? [{ host: config.PIPE_POSTGRES_HOST, port: config.PIPE_POSTGRES_PORT ?? 5432 }]
      : []),
  ];
}

const markPrivate = (server: OwnServer): OwnServer => ({ ...server, onlyPrivate: true });

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ldap:': 389, 'ldaps:': 636 };

function readAddress(address: string | undefined, defaultPort?: number): OwnServer[] {
  if (!address || !URL.canParse(address)) return [];
  const { protocol, hostname, port } = new URL(address);
  return hostname === ''
    ? []
    : [{ host: hostname, port: Number(port) || (defaultPort ?? defaultPorts[protocol] ?? 0) }];
}

/** A connection string may name several hosts. Unix sockets are files, which no other client can reach. */
function listMongoServers(url: string): OwnServer[] {
  const hosts = /^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? '';
  return hosts
    .split(',')
    .filter((host) => host !== '' && !/%2f/i.test(host))
    .flatMap((host) => readAddress(`mongodb://${host}`, 27_017));
}
