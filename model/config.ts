// Long because every setting is an entry of one list.
import { AppError } from './errors';

/** How a setting's text becomes a value. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'port';
interface Setting {
  kind: Kind;
  /** Text as it would stand in the environment; undefined means not set. */
  default?: string;
  secret?: boolean;
  oneOf?: readonly string[];
  minimum?: number;
  /** Other names of the setting, read in this order where it is not set itself. */
  aliases?: readonly string[];
  /** Of a list: names that are true or false, each with the item that a true one stands for; read where the list is not set. */
  switches?: Readonly<Record<string, string>>;
  text: string;
}

/** Every setting of the product. `docloom config`, the documentation and the compose test read this list. */
export const settings = {
  // addresses
  TEMPORAL_ADDRESS: { kind: 'text', default: '127.0.0.1:7233', text: 'Host and port of the Temporal frontend.' },
  TEMPORAL_NAMESPACE: { kind: 'text', default: 'default', text: 'Temporal namespace.' },
  TEMPORAL_UI_ADDRESS: {
    kind: 'text',
    default: 'http://127.0.0.1:8233',
    text: 'Address of the Temporal UI, for links.',
  },
  MONGODB_URL: {
    kind: 'text',
    default: 'mongodb://127.0.0.1:27017/docloom',
    secret: true,
    text: 'MongoDB connection string with the database name.',
  },
  SEARCH_HOST: { kind: 'text', default: '127.0.0.1', text: 'Host of OpenSearch.' },
  SEARCH_PORT: { kind: 'port', default: '9200', text: 'Port of OpenSearch.' },
  SEARCH_USE_SSL: { kind: 'boolean', default: 'false', text: 'Speak HTTPS to OpenSearch.' },
  SEARCH_VERIFY_CERTS: { kind: 'boolean', default: 'true', text: 'Check the certificate of OpenSearch.' },
  SEARCH_USERNAME: { kind: 'text', text: 'User name for OpenSearch.' },
  SEARCH_PASSWORD: { kind: 'text', secret: true, text: 'Password for OpenSearch.' },
  SEARCH_DEFAULT_INDEX: {
    kind: 'text',
    default: 'documents',
    text: 'Read alias that every index made by vectordb joins.',
  },
  SEARCH_TIMEOUT: { kind: 'integer', default: '30', minimum: 1, text: 'Seconds per attempt of a bulk write.' },
  SEARCH_MAX_RETRIES: { kind: 'integer', default: '3', minimum: 0, text: 'Further attempts of a bulk write.' },
  // api
  DOCLOOM_HOST: {
    kind: 'text',
    default: '127.0.0.1',
    aliases: ['UVICORN_HOST'],
    text: 'Address the api listens on.',
  },
  DOCLOOM_PORT: { kind: 'port', default: '8080', aliases: ['UVICORN_PORT'], text: 'Port of the api.' },
  DOCLOOM_PUBLIC_URL: {
    kind: 'text',
    text: 'Address under which clients reach the api; used in links. Default: from the request.',
  },
  CORS_ORIGINS: {
    kind: 'list',
    default: 'http://localhost:3000',
    aliases: ['DOCLING_SERVE_CORS_ORIGINS'],
    text: 'Origins that browsers may call from; `*` for all.',
  },
  DOCLOOM_ERROR_CODE_CASE: {
    kind: 'text',
    default: 'upper',
    oneOf: ['upper', 'lower'],
    text: 'Spelling of error codes.',
  },
  // login
  JWT_SECRET_KEY: {
    kind: 'text',
    secret: true,
    text: 'Signs the tokens; at least 32 characters, 8 of them different.',
  },
  JWT_PREVIOUS_SECRET_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    text: 'Former values of JWT_SECRET_KEY whose tokens are still accepted.',
  },
  JWT_ACCESS_TOKEN_EXPIRE_MINUTES: { kind: 'integer', default: '30', minimum: 1, text: 'Lifetime of a token.' },
  LDAP_SERVER: { kind: 'text', text: 'ldap:// or ldaps:// address of the directory.' },
  LDAP_BASE_DN: { kind: 'text', text: 'Where users are searched when LDAP_USER_DN is not set.' },
  LDAP_USER_DN: { kind: 'text', text: 'Entry under which users live.' },
  LDAP_BIND_DN: {
    kind: 'text',
    text: 'Entry that searches; without it users are bound directly as uid=<name>,<LDAP_USER_DN>.',
  },
  LDAP_BIND_PASSWORD: { kind: 'text', secret: true, text: 'Password of LDAP_BIND_DN.' },
  LDAP_USE_SSL: { kind: 'boolean', default: 'false', text: 'StartTLS on ldap:// addresses; certificates are checked.' },
  LDAP_USE_ACTIVE_DIRECTORY: { kind: 'boolean', default: 'false', text: 'Bind as user@LDAP_AD_DOMAIN.' },
  LDAP_AD_DOMAIN: { kind: 'text', text: 'Domain of the Active Directory.' },
  OAUTH2_ENABLED: { kind: 'boolean', default: 'false', text: 'Logins by OAuth 2.0 and OpenID Connect.' },
  OAUTH2_PROVIDER: {
    kind: 'text',
    default: 'generic',
    oneOf: ['google', 'azure', 'microsoft', 'generic'],
    text: 'Who logs users in; microsoft is another name of azure.',
  },
  OAUTH2_CLIENT_ID: { kind: 'text', text: 'Client id at the provider.' },
  OAUTH2_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    text: 'Client secret at the provider; a public client of a generic provider has none.',
  },
  OAUTH2_REDIRECT_URI: {
    kind: 'text',
    text: 'Address of /auth/oauth2/callback as registered at the provider, letter for letter.',
  },
  OAUTH2_SCOPE: { kind: 'text', default: 'openid profile email', text: 'What is asked of the provider.' },
  OAUTH2_AZURE_TENANT_ID: { kind: 'text', text: 'Tenant of azure; needed with it.' },
  OAUTH2_DISCOVERY_URL: { kind: 'text', text: 'Discovery document of a generic provider.' },
  OAUTH2_AUTHORIZATION_ENDPOINT: {
    kind: 'text',
    text: 'Endpoint of a generic provider; counts before its discovery document, as the next three do.',
  },
  OAUTH2_TOKEN_ENDPOINT: { kind: 'text', text: 'Token endpoint of a generic provider.' },
  OAUTH2_USERINFO_ENDPOINT: { kind: 'text', text: 'User info endpoint of a generic provider.' },
  OAUTH2_JWKS_URI: { kind: 'text', text: 'Keys of a generic provider.' },
  OIDC_ISSUER: { kind: 'text', text: 'Issuer of a generic provider. Default: from OAUTH2_DISCOVERY_URL.' },
  OIDC_AUDIENCE: { kind: 'text', text: 'Audience that the ID token must name besides OAUTH2_CLIENT_ID.' },
  OAUTH2_SESSION_EXPIRE_MINUTES: {
    kind: 'integer',
    default: '60',
    minimum: 1,
    text: 'How long a login at the provider may take.',
  },
  DOCLOOM_OAUTH2_CLIENT_AUTH: {
    kind: 'text',
    default: 'basic',
    oneOf: ['basic', 'post'],
    text: 'How the client secret is sent to the token endpoint: in a header or in the body.',
  },
  DOCLOOM_OAUTH2_USERNAME_CLAIM: {
    kind: 'text',
    text: 'Claim that becomes the user name. Default: email of google; preferred_username of azure; of others preferred_username, else email, else sub.',
  },
  DOCLOOM_OAUTH2_GROUPS_CLAIM: { kind: 'text', default: 'groups', text: 'Claim that lists the groups of a user.' },
  DOCLOOM_OAUTH2_ALLOWED_DOMAINS: {
    kind: 'list',
    default: '',
    text: 'Domains of the user names that may log in by the provider; all when empty.',
  },
  DOCLOOM_TRUSTED_PROXIES: {
    kind: 'list',
    default: '',
    text: 'Addresses and networks of reverse proxies whose X-Forwarded-For tells the address of a client.',
  },
  DOCLOOM_ADMIN_GROUPS: { kind: 'list', default: '', text: 'Groups whose members manage all resources.' },
  // storage
  DOCLOOM_DATA: { kind: 'text', default: '.docloom', text: 'Folder of everything that lasts.' },
  PROJECT_REPOSITORY_BASE_DIR: {
    kind: 'text',
    text: 'Folder in which projects and flows are also kept as JSON files, written with every change and read at the start.',
  },
  DOCLOOM_CACHE: { kind: 'text', text: 'Folder of fetched and built servers. Default: ~/.cache/docloom.' },
  DOCLOOM_STORAGE: {
    kind: 'text',
    default: 'folder',
    oneOf: ['folder', 's3'],
    text: 'Where tables and files are kept.',
  },
  DOCLOOM_S3_ENDPOINT: { kind: 'text', text: 'Address of the S3 server.' },
  DOCLOOM_S3_REGION: { kind: 'text', default: 'us-east-1', text: 'Region of the S3 server.' },
  DOCLOOM_S3_BUCKET: { kind: 'text', default: 'docloom', text: 'Bucket of tables and files.' },
  DOCLOOM_S3_PREFIX: { kind: 'text', default: '', text: 'Prefix of all keys in the bucket.' },
  DOCLOOM_S3_ACCESS_KEY: { kind: 'text', text: 'Access key.' },
  DOCLOOM_S3_SECRET_KEY: { kind: 'text', secret: true, text: 'Secret key.' },
  DOCLOOM_TABLE_RETENTION_DAYS: {
    kind: 'integer',
    default: '7',
    minimum: 1,
    text: 'Days after the end of a run until its tables are removed, and the converted documents of a job that remembers none any more; the record of the run stays. Graphs of `POST /api/v1/graphs` go as long after their end.',
  },
  DOCLOOM_SOURCE_ROOTS: {
    kind: 'list',
    default: '',
    text: 'Folders that flows may read. None until set; `docloom up` and `run` add the current folder.',
  },
  DOCLOOM_CUSTOM_OPERATORS: {
    kind: 'list',
    default: '',
    aliases: ['DOCPIPE_CUSTOM_OPERATORS'],
    text: 'Folders with operators of your own, one in each TypeScript or JavaScript file; read at the start of api and worker.',
  },
  DOCLOOM_CUSTOM_OPERATOR_SECONDS: {
    kind: 'number',
    default: '300',
    minimum: 0.1,
    text: 'Seconds that an operator of your own may take for one part.',
  },
  DOCLOOM_CUSTOM_OPERATOR_MEMORY_MB: {
    kind: 'integer',
    default: '256',
    minimum: 16,
    text: 'Heap of the thread in which an operator of your own runs, in MB.',
  },
  DOCLOOM_ALLOWED_HOSTS: {
    kind: 'list',
    default: '',
    text: 'Private hosts that flows may name (model servers, search servers): names, addresses, networks such as 10.0.0.0/8. Public ones need no entry; `docloom up` allows localhost.',
  },
  LOCALMODEL_HOST: {
    kind: 'text',
    default: 'http://127.0.0.1:11434',
    text: 'Address of the local model host where a flow names none.',
  },
  HOSTEDMODEL_API_BASE_URL: {
    kind: 'text',
    text: 'Address of the hosted model vendor: for the list of its models, and where a flow names none.',
  },
  DOCLOOM_HOSTEDMODEL_TOKEN_URL: {
    kind: 'text',
    default: 'https://iam.cloud.ibm.com/identity/token',
    text: 'Where an api key of the hosted vendor is exchanged for a token.',
  },
  // conversion service
  CONVERT_SERVE_API_KEY: {
    kind: 'list',
    default: '',
    secret: true,
    aliases: ['DOCLING_SERVE_API_KEY'],
    text: 'Keys of the conversion service, any of which is accepted as X-Api-Key; none is asked for when empty.',
  },
  CONVERT_SERVE_ENABLE_REMOTE_SERVICES: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ENABLE_REMOTE_SERVICES'],
    text: 'Whether a conversion may ask models on other servers.',
  },
  DOCLOOM_VISION_URL: {
    kind: 'text',
    text: 'Chat completions (OpenAI protocol) of a model that sees images, as http://127.0.0.1:8000/v1/chat/completions: for the pipeline vlm and the enrichments of conversions that name no model. The service asks it only with CONVERT_SERVE_ENABLE_REMOTE_SERVICES.',
  },
  DOCLOOM_VISION_API_KEY: { kind: 'text', secret: true, text: 'Sent to that address as a bearer token.' },
  DOCLOOM_VISION_MODEL: { kind: 'text', text: 'The model to ask there, as its server names it.' },
  DOCLOOM_VISION_MODELS: {
    kind: 'list',
    default: '',
    text: 'Other models there for single tasks, as description=a-model: pages, description, classification, charts, code, formulas.',
  },
  DOCLOOM_VISION_FORMAT: {
    kind: 'text',
    default: 'doctags',
    oneOf: ['doctags', 'doclang', 'otsl', 'markdown', 'html', 'plaintext'],
    text: 'How that model writes pages.',
  },
  DOCLOOM_VISION_CONCURRENCY: {
    kind: 'integer',
    default: '4',
    minimum: 1,
    text: 'Requests of one document to that model at a time.',
  },
  DOCLOOM_VISION_SECONDS: {
    kind: 'integer',
    default: '120',
    minimum: 1,
    text: 'Seconds that one request to that model may take.',
  },
  CONVERT_SERVE_MAX_SYNC_WAIT: {
    kind: 'number',
    default: '120',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_SYNC_WAIT'],
    text: 'Seconds that a synchronous conversion is waited for; then the answer is 504, and the task goes on.',
  },
  CONVERT_SERVE_MAX_DOCUMENT_TIMEOUT: {
    kind: 'number',
    default: '604800',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_DOCUMENT_TIMEOUT'],
    text: 'Most seconds that a request may allow for a document.',
  },
  CONVERT_SERVE_MAX_SOURCES_PER_REQUEST: {
    kind: 'integer',
    default: '100',
    minimum: 1,
    aliases: ['DOCLING_SERVE_MAX_SOURCES_PER_REQUEST'],
    text: 'Most sources of a conversion request.',
  },
  CONVERT_SERVE_MAX_IMAGES_SCALE: {
    kind: 'number',
    default: '2',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_IMAGES_SCALE'],
    text: 'Largest images_scale of a conversion request.',
  },
  CONVERT_SERVE_ALLOWED_IMAGE_EXPORT_MODES: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_IMAGE_EXPORT_MODES'],
    text: 'Values of image_export_mode that requests may use; all when empty.',
  },
  CONVERT_SERVE_ALLOWED_OCR_PRESETS: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_OCR_PRESETS'],
    text: 'Values of ocr_preset that requests may use; all when empty.',
  },
  CONVERT_SERVE_ALLOWED_SOURCE_TYPES: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_SOURCE_TYPES'],
    text: 'Kinds of sources that requests may use besides file and http; all when empty.',
  },
  CONVERT_SERVE_ALLOWED_TARGET_TYPES: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_TARGET_TYPES'],
    text: 'Kinds of targets that requests may use; all when empty.',
  },
  CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS: {
    kind: 'list',
    default: '',
    switches: {
      DOCLING_SERVE_ALLOW_CUSTOM_VLM_CONFIG: 'vlm',
      DOCLING_SERVE_ALLOW_CUSTOM_PICTURE_DESCRIPTION_CONFIG: 'picture_description',
      DOCLING_SERVE_ALLOW_CUSTOM_CODE_FORMULA_CONFIG: 'code_formula',
      DOCLING_SERVE_ALLOW_CUSTOM_TABLE_STRUCTURE_CONFIG: 'table_structure',
      DOCLING_SERVE_ALLOW_CUSTOM_LAYOUT_CONFIG: 'layout',
      DOCLING_SERVE_ALLOW_CUSTOM_PICTURE_CLASSIFICATION_CONFIG: 'picture_classification',
      DOCLING_SERVE_ALLOW_CUSTOM_OCR_CONFIG: 'ocr',
    },
    text: 'Stages whose model, unless it is remote, a request may describe in full: vlm, picture_description, code_formula, table_structure, layout, picture_classification, chart_extraction, ocr.',
  },
  CONVERT_SERVE_SHOW_VERSION_INFO: {
    kind: 'boolean',
    default: 'true',
    aliases: ['DOCLING_SERVE_SHOW_VERSION_INFO'],
    text: 'Whether GET /version tells versions.',
  },
  CONVERT_SERVE_ENABLE_MANAGEMENT_ENDPOINTS: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ENABLE_MANAGEMENT_ENDPOINTS'],
    text: 'Whether GET /v1/memory/stats and /v1/memory/counts answer.',
  },
  CONVERT_SERVE_TENANT_ID_HEADER: {
    kind: 'text',
    default: 'X-Tenant-Id',
    aliases: ['DOCLING_SERVE_ENG_RAY_TENANT_ID_HEADER'],
    text: 'Header that names the tenant of a conversion request.',
  },
  CONVERT_SERVE_MAX_FILE_SIZE: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_FILE_SIZE'],
    text: 'Most bytes of a document to convert, uploaded or fetched; a larger one fails alone. 0 for no limit of its own.',
  },
  CONVERT_SERVE_MAX_NUM_PAGES: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_NUM_PAGES'],
    text: 'Most pages, slides or sheets of a document to convert; a longer one fails alone. 0 for the 10,000 of the readers.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ENABLED'],
    text: 'Serve presigned_url targets from the bucket that the next settings name.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ENDPOINT: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ENDPOINT'],
    text: 'Host and port of the S3 server of results, as clients reach it.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_VERIFY_SSL: {
    kind: 'boolean',
    default: 'true',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_VERIFY_SSL'],
    text: 'Speak https to the S3 server of results.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_BUCKET: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_BUCKET'],
    text: 'Bucket of results with presigned addresses.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ACCESS_KEY: {
    kind: 'text',
    secret: true,
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ACCESS_KEY'],
    text: 'Access key of that bucket.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_SECRET_KEY: {
    kind: 'text',
    secret: true,
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_SECRET_KEY'],
    text: 'Secret key of that bucket.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_KEY_PREFIX: {
    kind: 'text',
    default: 'converted/',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_KEY_PREFIX'],
    text: 'Prefix of all keys in that bucket.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS: {
    kind: 'integer',
    default: '3600',
    minimum: 60,
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS'],
    text: 'Seconds that a presigned address is valid; at most 604800.',
  },
  DOCLOOM_FETCH_MAX_MB: {
    kind: 'integer',
    default: '500',
    minimum: 1,
    text: 'Most megabytes that the conversion service fetches from one address.',
  },
  DOCLOOM_FETCH_SECONDS: {
    kind: 'integer',
    default: '120',
    minimum: 1,
    text: 'Seconds that fetching one source may take.',
  },
  DOCLOOM_RESULT_RETENTION_MINUTES: {
    kind: 'integer',
    default: '10080',
    minimum: 1,
    text: 'Minutes after the end of a conversion task until it is forgotten with its results, fetched or not.',
  },
  DOCLOOM_CALLBACK_SECRET: {
    kind: 'text',
    secret: true,
    text: 'Signs callbacks of conversion tasks (HMAC-SHA256 in the header X-Docloom-Signature); they are not signed when it is not set.',
  },
  DOCLOOM_HONOUR_FROM_FORMATS: {
    kind: 'boolean',
    default: 'true',
    text: 'Whether a conversion leaves out documents of formats that from_formats does not list; they are skipped.',
  },
  DOCLOOM_MAX_JSON_MB: {
    kind: 'integer',
    default: '100',
    minimum: 1,
    text: 'Most megabytes of a JSON body of the conversion service; more is 413.',
  },
  DOCLOOM_MAX_UPLOAD_MB: {
    kind: 'integer',
    default: '256',
    minimum: 1,
    text: 'Most megabytes of an upload to the conversion service, all files together; more is 413.',
  },
  DOCLOOM_EMBEDDING_CACHE_DAYS: {
    kind: 'integer',
    default: '30',
    minimum: 0,
    text: 'Days that a vector from a model is kept in MongoDB after its last use, so that equal texts cost nothing again; 0 keeps none.',
  },
  // work
  DOCLOOM_TASK_QUEUE: { kind: 'text', default: 'docloom', text: 'Prefix of the Temporal task queues.' },
  DOCLOOM_PAYLOAD_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    text: 'Keys (32 bytes in base64 each) that encrypt what Temporal keeps of runs: the first encrypts, all decrypt.',
  },
  DOCLOOM_CONVERSION_THREADS: {
    kind: 'integer',
    default: '2',
    minimum: 1,
    aliases: ['DOCLING_SERVE_ENG_LOC_NUM_WORKERS'],
    text: 'Worker threads that convert documents.',
  },
  DOCLOOM_MODELS_FOLDER: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACTS_PATH'],
    text: 'Folder of models: of layout (`layout`) and tables (`table-structure`), languages of text recognition (`tessdata`), embedders and tokenizers by name (`<organisation>/<model>/tokenizer.json`). Nothing is downloaded into it.',
  },
  DOCLOOM_CONVERSION_MEMORY_MB: {
    kind: 'integer',
    default: '512',
    minimum: 64,
    text: 'Heap limit of one conversion thread, and of one that builds a graph.',
  },
  DOCLOOM_DRAIN_SECONDS: {
    kind: 'integer',
    default: '10',
    minimum: 0,
    text: 'How long a stopping process lets running work end.',
  },
  DOCLOOM_METRICS_PORT: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    text: "Port of the worker's /metrics, /health and /ready; 0 for none.",
  },
  PIPE_STORAGE_BACKEND: {
    kind: 'text',
    default: 'mongodb',
    oneOf: ['mongodb', 'filesystem', 'postgres'],
    text: 'Where reports of parts, failed documents and results of runs are kept; the records of runs are always in MongoDB.',
  },
  PIPE_JOB_STATS_BASE_DIR: {
    kind: 'text',
    text: 'Folder of the backend filesystem, shared by all apis and workers. Default: job-stats in DOCLOOM_DATA.',
  },
  PIPE_POSTGRES_HOST: { kind: 'text', default: '127.0.0.1', text: 'Host of PostgreSQL.' },
  PIPE_POSTGRES_PORT: { kind: 'port', default: '5432', text: 'Port of PostgreSQL.' },
  PIPE_POSTGRES_DB: { kind: 'text', default: 'docloom', text: 'Database of PostgreSQL; its tables are made.' },
  PIPE_POSTGRES_USER: { kind: 'text', default: 'docloom', text: 'User of PostgreSQL.' },
  PIPE_POSTGRES_PASSWORD: { kind: 'text', secret: true, text: 'Password of PIPE_POSTGRES_USER.' },
  PIPE_POSTGRES_USE_SSL: {
    kind: 'boolean',
    default: 'false',
    text: 'Speak TLS to PostgreSQL; its certificate is checked.',
  },
  PIPE_FRAMEWORK_TYPE: { kind: 'text', default: 'temporal', oneOf: ['temporal'], text: 'Accepted for compatibility.' },
  DS_LOG_LEVEL: {
    kind: 'text',
    default: 'INFO',
    oneOf: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    aliases: ['DOCLING_SERVE_LOG_LEVEL'],
    text: 'Least level that is logged.',
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof settings;
type Value<S extends Setting> = S['kind'] extends 'integer' | 'number' | 'port'
  ? number
  : S['kind'] extends 'boolean'
    ? boolean
    : S['kind'] extends 'list'
      ? string[]
      : S extends { default: string }
        ? string
        : string | undefined;

/** All settings, parsed. */
export type Config = { [Name in SettingName]: Value<(typeof settings)[Name]> };

/** Parses all settings at once; INVALID_CONFIGURATION lists every problem. Empty values count as not set. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const text = givenText(env, name, setting) || setting.default;
    config[name] = text === undefined ? undefined : parse(name, setting, text, problems);
  }
  if (typeof config['JWT_SECRET_KEY'] === 'string')
    problems.push(...weakness('JWT_SECRET_KEY', config['JWT_SECRET_KEY']));
  for (const former of config['JWT_PREVIOUS_SECRET_KEYS'] as string[])
    problems.push(...weakness('JWT_PREVIOUS_SECRET_KEYS', former));
  if (problems.length > 0) {
    throw new AppError('INVALID_CONFIGURATION', `The configuration is invalid: ${problems.join('; ')}.`, {
      problems: problems.map((message) => ({ message })),
    });
  }
  return config as Config;
}

/** The text under the name of the setting, else under its first alias that has one; blanks count as nothing. */
function givenText(
  env: Record<string, string | undefined>,
  name: string,
  { aliases = [], switches = {} }: Setting,
): string | undefined {
  const given = [name, ...aliases].map((one) => env[one]?.trim()).find(Boolean);
  const items = Object.entries(switches).flatMap(([one, item]) => (yes.test(env[one]?.trim() ?? '') ? [item] : []));
  return given ?? (items.length > 0 ? items.join(',') : undefined);
}

const yes = /^(true|1|yes|on)$/i;

/** A secret that can be guessed lets anybody make tokens; the message tells nothing of it. */
function weakness(name: string, secret: string): string[] {
  if (secret.length < 32) return [`${name} has ${secret.length} characters; at least 32 are needed`];
  if (new Set(secret).size < 8) return [`${name} has fewer than 8 different characters; take a random one`];
  return [];
}

function parse(name: string, setting: Setting, text: string, problems: string[]): unknown {
  if (setting.oneOf && !setting.oneOf.includes(text)) {
    problems.push(`${name} is '${text}'; it must be one of ${setting.oneOf.join(', ')}`);
    return undefined;
  }
  switch (setting.kind) {
    case 'text':
      return text;
    case 'list':
      return itemsOf(text);
    case 'boolean':
      if (yes.test(text)) return true;
      if (/^(false|0|no|off)$/i.test(text)) return false;
      problems.push(`${name} is '${text}'; it must be true or false`);
      return undefined;
    case 'number': {
      const value = Number(text);
      if (Number.isFinite(value) && value >= (setting.minimum ?? -Infinity)) return value;
      problems.push(`${name} is '${text}'; it must be a number from ${setting.minimum ?? 'minus infinity'}`);
      return undefined;
    }
    case 'integer':
    case 'port': {
      const value = Number(text);
      const least = setting.kind === 'port' ? 1 : (setting.minimum ?? Number.MIN_SAFE_INTEGER);
      const most = setting.kind === 'port' ? 65_535 : Number.MAX_SAFE_INTEGER;
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      problems.push(
        `${name} is '${text}'; it must be a whole number from ${least}${setting.kind === 'port' ? ` to ${most}` : ''}`,
      );
      return undefined;
    }
  }
}

/** Items with commas between them, or as the JSON array that other servers take. */
function itemsOf(text: string): string[] {
  const isArray = text.startsWith('[') && text.endsWith(']');
  const items = (isArray ? text.slice(1, -1) : text).split(',').map((item) => item.trim());
  return items.map((item) => (isArray ? item.replace(/^"(.*)"$/, '$1') : item)).filter(Boolean);
}

/** What `docloom config` prints: origin and value of each setting, secrets masked. */
export function describeConfig(
  env: Record<string, string | undefined>,
): { name: string; value: string; origin: 'environment' | 'default' | 'not set'; text: string }[] {
  return Object.entries<Setting>(settings).map(([name, setting]) => {
    const given = givenText(env, name, setting);
    const value = given || setting.default || '';
    const origin = given ? 'environment' : setting.default === undefined ? 'not set' : 'default';
    return {
      name,
      value: setting.secret && value !== '' && origin !== 'default' ? '********' : value,
      origin,
      text: setting.text,
    };
  });
}
