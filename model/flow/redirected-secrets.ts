import { buildEffectiveConfig } from './config';
import type { FlowDefinition, FlowOperator } from './flow';
import { maskSecrets, toSnakeCase } from './secrets';

/** Names of members that decide where an operator sends its data, or how the connection is protected. */
const destinationName =
  /(?:^|_)(?:hosts?|hostname|urls?|uris?|api_base|base|endpoints?|address(?:es)?|servers?|ports?|sitemaps?|domains?|sites?|proxy|proxies|provider|type|engine|region|account|bucket|resource|deployment|tenant|cluster|connection|gateway|ssl|tls|secure|insecure|security|verify|certs?|certificates?|redirects?)(?:_|$)/;

/** A secret that would be sent to another destination than before. */
export interface RedirectedSecret {
  operator: string;
  /** JSON pointer to the secret in the configuration of the operator. */
  pointer: string;
}

/**
 * Finds secrets of the stored flow that `next` would send elsewhere: an operator uses such a secret, and a member that decides
 * the destination (host, address, provider, encryption …) differs from the stored operator of that name. Secrets that `input`
 * contains in clear text are excluded, since the sender knows them.
 */
export function findRedirected(next: FlowDefinition, stored: FlowDefinition, input: unknown): RedirectedSecret[] {
  const incomingSecrets = new Set(findSecrets(input).map(([, value]) => value));
  const before = new Map(stored.flow.map((operator) => [operator.name, buildFacts(stored, operator)]));
  // Global settings may hold secrets for operators that do not exist yet.
  const storedSecrets = new Set([
    ...[...before.values()].flatMap(({ secrets }) => secrets.map(([, value]) => value)),
    ...findSecrets(stored.global_config).map(([, value]) => value),
  ]);
  return next.flow.flatMap((operator) => {
    const { secrets, destination } = buildFacts(next, operator);
    const earlier = before.get(operator.name);
    return secrets
      .filter(([, value]) => storedSecrets.has(value) && !incomingSecrets.has(value))
      .filter(
        ([, value]) => earlier?.destination !== destination || !earlier.secrets.some(([, other]) => other === value),
      )
      .map(([pointer]) => ({ operator: operator.name, pointer }));
  });
}

/** One sentence for the sender of the change. */
export function describeRedirected({ operator, pointer }: RedirectedSecret): string {
  return `'${operator}' would send the stored secret ${pointer} to another destination than before: send the secret again, or keep its destination unchanged.`;
}

function buildFacts(
  flow: FlowDefinition,
  operator: FlowOperator,
): { secrets: [string, string][]; destination: string } {
  const config = buildEffectiveConfig(flow, operator);
  const destinations = findDestinations(maskSecrets(config), '').toSorted();
  return { secrets: findSecrets(config), destination: JSON.stringify([operator.type, destinations]) };
}

/** JSON pointer and value of everything that is masked. */
function findSecrets(value: unknown): [string, string][] {
  return listDifferences(value, maskSecrets(value), '');
}

function listDifferences(value: unknown, masked: unknown, pointer: string): [string, string][] {
  if (typeof value !== 'object' || value === null || typeof masked !== 'object' || masked === null)
    return value === masked ? [] : [[pointer, String(value)]];
  return Object.entries(value).flatMap(([name, member]) =>
    listDifferences(member, (masked as Record<string, unknown>)[name], `${pointer}/${name}`),
  );
}

function findDestinations(value: unknown, pointer: string): string[] {
  if (typeof value === 'string') return value.includes('://') ? [`${pointer}=${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${pointer}/${name}`;
    const isNamed = !Array.isArray(value) && destinationName.test(toSnakeCase(name));
    return isNamed ? [`${place}=${JSON.stringify(member)}`] : findDestinations(member, place);
  });
}
