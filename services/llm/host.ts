import { AppError } from '../../model/errors';
import {
  ChatProviderConfig,
  findModelType,
  type ModelSettings,
  modelTypes,
  type ModelType,
} from '../../model/llm/model-host';
import { trimSlashes } from '../../model/trim-slashes';
import { parse } from '../../model/validate';
import { isSameHost } from '../net/addresses';

/** Address and settings of a model host: those of the flow, completed with those of the server. */
export interface ModelHost {
  type: ModelType;
  protocol: 'openai' | 'native' | 'hosted';
  base: URL;
  /** True when host and port are those of the server's own settings, which bypass the address guard. */
  isConfigured: boolean;
  modelId: string;
  apiKey?: string;
  container?: { id: string; kind: 'project' | 'space' };
  timeoutMs: number;
  /** Maximum retries of one request. */
  maxRetries: number;
  /** The longest wait before a retry. When a server asks for a longer one, the request fails and the error contains that time. */
  maxWaitMs: number;
  maxConcurrent: number;
  limits: { requests?: number; tokens?: number };
  /** Per million tokens. */
  prices: { input: number; output: number };
}

const defaults = { timeoutSeconds: 60, retries: 4, maxWaitSeconds: 60, concurrentRequests: 4 };

/** Addresses in the server's settings. */
export interface HostAddresses {
  LOCALMODEL_HOST: string;
  HOSTEDMODEL_API_BASE_URL?: string | undefined;
}

/** The host for the given settings. Throws OPERATOR_CONFIGURATION_INVALID when a setting is missing or wrong. */
export function buildModelHost(
  settings: ModelSettings,
  addresses: HostAddresses,
): { host: ModelHost; options: ChatProviderConfig } {
  const value = settings.type ?? settings.provider ?? 'local_api';
  const type = typeof value === 'string' ? findModelType(value) : undefined;
  if (!type) {
    throw createInvalidError(
      `The type of the model is ${JSON.stringify(value)}; it must be one of ${Object.keys(modelTypes).join(', ')}.`,
    );
  }
  const options = parse(
    ChatProviderConfig,
    structuredClone(settings.provider_config ?? {}),
    'The provider_config of the model',
    'OPERATOR_CONFIGURATION_INVALID',
  );
  const { model_id: modelId, api_key: apiKey } = options;
  if (modelId === undefined)
    throw createInvalidError(`A model of the type ${type} needs provider_config.model_id, its name.`);
  const container = buildContainer(type, options);
  const address = options.api_base ?? getDefaultAddress(type, addresses);
  const base = parseAddress(address);
  return {
    host: {
      type,
      protocol: chooseProtocol(type, options, base),
      base,
      isConfigured: options.api_base === undefined || isConfiguredHost(base, addresses),
      modelId,
      ...(apiKey ? { apiKey } : {}),
      ...(container ? { container } : {}),
      timeoutMs: (options.timeout ?? defaults.timeoutSeconds) * 1_000,
      maxRetries: options.max_retries ?? defaults.retries,
      maxWaitMs: (options.max_wait ?? defaults.maxWaitSeconds) * 1_000,
      maxConcurrent: options.max_concurrent_requests ?? defaults.concurrentRequests,
      limits: {
        ...(options.requests_per_minute === undefined ? {} : { requests: options.requests_per_minute }),
        ...(options.tokens_per_minute === undefined ? {} : { tokens: options.tokens_per_minute }),
      },
      prices: { input: options.input_price ?? 0, output: options.output_price ?? 0 },
    },
    options,
  };
}

function buildContainer(type: ModelType, options: ChatProviderConfig): ModelHost['container'] {
  if (type !== 'hosted') return undefined;
  if (options.container_id === undefined) {
    throw createInvalidError(
      'A model of the type hosted needs provider_config.container_id, the id of the project (or, with container_kind space, of the space).',
    );
  }
  if (!options.api_key) throw createInvalidError('A model of the type hosted needs provider_config.api_key.');
  return { id: options.container_id, kind: options.container_kind ?? 'project' };
}

function getDefaultAddress(type: ModelType, addresses: HostAddresses): string {
  if (type === 'local_api') return addresses.LOCALMODEL_HOST;
  if (type === 'gateway')
    throw createInvalidError('A model of the type gateway needs provider_config.api_base, its address.');
  if (addresses.HOSTEDMODEL_API_BASE_URL) return addresses.HOSTEDMODEL_API_BASE_URL;
  throw createInvalidError(
    'A model of the type hosted needs provider_config.api_base, since HOSTEDMODEL_API_BASE_URL is not set on this server.',
  );
}

/** True when a flow's address is that of a configured host. */
function isConfiguredHost(base: URL, { LOCALMODEL_HOST, HOSTEDMODEL_API_BASE_URL }: HostAddresses): boolean {
  return [LOCALMODEL_HOST, HOSTEDMODEL_API_BASE_URL].some((address) => {
    const url = address && URL.canParse(address) ? new URL(address) : undefined;
    return url?.protocol === base.protocol && url.port === base.port && isSameHost(url.hostname, base.hostname);
  });
}

/** Without a user name: `fetch` refuses such addresses with an error that looks like a lost connection. */
function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  // What is before an @ may be a password, also in an address that cannot be parsed.
  const given = address.includes('@') ? 'contains a user name or password' : `is '${address}'`;
  throw createInvalidError(
    `api_base ${given}; it must be an http or https address without user name and password, such as http://127.0.0.1:11434/v1.`,
  );
}

function chooseProtocol(type: ModelType, { protocol, api_base }: ChatProviderConfig, base: URL): ModelHost['protocol'] {
  if (type === 'hosted') return 'hosted';
  if (type === 'gateway') return 'openai';
  return protocol ?? (api_base === undefined || base.pathname === '/' ? 'native' : 'openai');
}

/** The address of an endpoint below the base. The path is not appended twice when the base already ends with it. */
export function buildEndpoint(host: ModelHost, path: string): URL {
  const base = trimSlashes(host.base.pathname);
  const url = new URL(host.base);
  url.pathname = base.endsWith(path) ? base : `${base}${path}`;
  return url;
}

/** Error codes for this kind of host: local or vendor. */
export function chooseErrorCodes({ type }: ModelHost) {
  return type === 'local_api'
    ? ({ away: 'LOCALMODEL_CONNECTION_FAILED', missing: 'LOCALMODEL_MODEL_NOT_FOUND' } as const)
    : ({ away: 'CONNECTION_ERROR', missing: 'HOSTEDMODEL_MODEL_NOT_FOUND' } as const);
}

function createInvalidError(message: string): AppError {
  return new AppError('OPERATOR_CONFIGURATION_INVALID', message);
}
