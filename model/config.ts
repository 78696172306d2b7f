// Long because all settings are one list.
import { AppError } from './errors';

/** How the text of a setting is parsed. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'port';
interface Setting {
  kind: Kind;
  /** The default, as text in the form used in the environment; undefined means not set. */
  default?: string;
  secret?: boolean;
  /** Set for secrets that only the api needs; they are removed from the environment of all other processes. */
  only?: 'api';
  oneOf?: readonly string[];
  minimum?: number;
  /** Alternative names, tried in this order when the setting itself is not set. */
  aliases?: readonly string[];
  /** For lists: boolean variables, each with the item it adds when true. Read only when the list itself is not set. */
  switches?: Readonly<Record<string, string>>;
  text: string;
}

/** All settings of the product. `docloom config`, the documentation and the compose test read this list. */
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
  SEARCH_HOST: { kind: 'text', default: '127.0.0.1', text: 'Host name of OpenSearch.' },
  SEARCH_PORT: { kind: 'port', default: '9200', text: 'Port of OpenSearch.' },
  SEARCH_USE_SSL: { kind: 'boolean', default: 'false', text: 'Use HTTPS for OpenSearch.' },
  SEARCH_VERIFY_CERTS: { kind: 'boolean', default: 'true', text: 'Verify the certificate of OpenSearch.' },
  SEARCH_USERNAME: { kind: 'text', text: 'User name for OpenSearch.' },
  SEARCH_PASSWORD: { kind: 'text', secret: true, text: 'Password for OpenSearch.' },
  SEARCH_DEFAULT_INDEX: {
    kind: 'text',
    default: 'documents',
    text: 'Read alias that every index created by vectordb joins.',
  },
  SEARCH_TIMEOUT: {
    kind: 'integer',
    default: '30',
    minimum: 1,
    text: 'Timeout in seconds for each attempt of a bulk write.',
  },
  SEARCH_MAX_RETRIES: { kind: 'integer', default: '3', minimum: 0, text: 'Retries of a bulk write.' },
  // api
  DOCLOOM_HOST: {
    kind: 'text',
    default: '127.0.0.1',
    aliases: ['UVICORN_HOST'],
    text: 'Address the api listens on.',
  },
  DOCLOOM_OPEN_SERVICE: {
    kind: 'boolean',
    default: 'false',
    text: 'Allow an api that other machines can reach to convert documents without a key or a token.',
  },
  DOCLOOM_PORT: { kind: 'port', default: '8080', aliases: ['UVICORN_PORT'], text: 'Port of the api.' },
  DOCLOOM_PUBLIC_URL: {
    kind: 'text',
    text: 'Base URL under which clients reach the api; used in links. Default: taken from the request.',
  },
  DOCLOOM_HOST_NAMES: {
    kind: 'list',
    default: '',
    text: 'Names by which clients reach the api (its Host header), besides IP addresses, localhost and the hosts of DOCLOOM_PUBLIC_URL and OAUTH2_REDIRECT_URI; `*` for all. Other names get 421, which protects browsers from DNS rebinding; /health and /ready answer to all.',
  },
  CORS_ORIGINS: {
    kind: 'list',
    default: 'http://localhost:3000',
    aliases: ['DOCLING_SERVE_CORS_ORIGINS'],
    text: 'Origins that may call the api from a browser, WebSockets included; `*` for all.',
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
    only: 'api',
    text: 'Key that signs tokens; at least 32 characters, 8 of them different.',
  },
  JWT_AUDIENCE: {
    kind: 'text',
    default: 'docloom',
    text: 'Name of this installation in its tokens (`aud`); tokens for another one are refused. Choose different names where installations share JWT_SECRET_KEY.',
  },
  JWT_PREVIOUS_SECRET_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    only: 'api',
    text: 'Previous values of JWT_SECRET_KEY whose tokens are still accepted.',
  },
  JWT_ACCESS_TOKEN_EXPIRE_MINUTES: { kind: 'integer', default: '30', minimum: 1, text: 'Lifetime of a token.' },
  LDAP_SERVER: { kind: 'text', text: 'URL of the directory, ldap:// or ldaps://.' },
  LDAP_BASE_DN: { kind: 'text', text: 'Base DN of user searches if LDAP_USER_DN is not set.' },
  LDAP_USER_DN: { kind: 'text', text: 'DN below which users are found.' },
  LDAP_BIND_DN: {
    kind: 'text',
    text: 'DN used for searching; without it, users bind directly as uid=<name>,<LDAP_USER_DN>.',
  },
  LDAP_BIND_PASSWORD: { kind: 'text', secret: true, only: 'api', text: 'Password of LDAP_BIND_DN.' },
  LDAP_USE_SSL: {
    kind: 'boolean',
    default: 'false',
    text: 'Use StartTLS with ldap:// addresses; certificates are verified.',
  },
  LDAP_USE_ACTIVE_DIRECTORY: { kind: 'boolean', default: 'false', text: 'Bind as user@LDAP_AD_DOMAIN.' },
  LDAP_AD_DOMAIN: { kind: 'text', text: 'Domain of the Active Directory.' },
  OAUTH2_ENABLED: { kind: 'boolean', default: 'false', text: 'Enable logins with OAuth 2.0 and OpenID Connect.' },
  OAUTH2_PROVIDER: {
    kind: 'text',
    default: 'generic',
    oneOf: ['google', 'azure', 'microsoft', 'generic'],
    text: 'Login provider; microsoft is an alias of azure.',
  },
  OAUTH2_CLIENT_ID: { kind: 'text', text: 'Client id registered with the provider.' },
  OAUTH2_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    only: 'api',
    text: 'Client secret; not needed for a public client of a generic provider.',
  },
  OAUTH2_REDIRECT_URI: {
    kind: 'text',
    text: 'URL of /auth/oauth2/callback, exactly as registered with the provider.',
  },
  OAUTH2_SCOPE: { kind: 'text', default: 'openid profile email', text: 'Scopes requested from the provider.' },
  OAUTH2_AZURE_TENANT_ID: { kind: 'text', text: 'Tenant id; required for azure.' },
  OAUTH2_DISCOVERY_URL: { kind: 'text', text: 'URL of the discovery document of a generic provider.' },
  OAUTH2_AUTHORIZATION_ENDPOINT: {
    kind: 'text',
    text: 'Authorization endpoint of a generic provider; overrides its discovery document, as do the next three.',
  },
  OAUTH2_TOKEN_ENDPOINT: { kind: 'text', text: 'Token endpoint of a generic provider.' },
  OAUTH2_USERINFO_ENDPOINT: { kind: 'text', text: 'User info endpoint of a generic provider.' },
  OAUTH2_JWKS_URI: { kind: 'text', text: 'URL of the signing keys of a generic provider.' },
  OIDC_ISSUER: { kind: 'text', text: 'Issuer of a generic provider. Default: taken from OAUTH2_DISCOVERY_URL.' },
  OIDC_AUDIENCE: { kind: 'text', text: 'Audience that the ID token must contain in addition to OAUTH2_CLIENT_ID.' },
  OAUTH2_SESSION_EXPIRE_MINUTES: {
    kind: 'integer',
    default: '60',
    minimum: 1,
    text: 'Minutes that a login at the provider may take.',
  },
  DOCLOOM_OAUTH2_CLIENT_AUTH: {
    kind: 'text',
    default: 'basic',
    oneOf: ['basic', 'post'],
    text: 'How the client secret is sent to the token endpoint: in a header (basic) or in the body (post).',
  },
  DOCLOOM_OAUTH2_USERNAME_CLAIM: {
    kind: 'text',
    text: 'Claim used as the user name. Default: email for google; preferred_username for azure; otherwise the first of preferred_username, email and sub.',
  },
  DOCLOOM_OAUTH2_GROUPS_CLAIM: { kind: 'text', default: 'groups', text: 'Claim that lists the groups of a user.' },
  DOCLOOM_OAUTH2_ALLOWED_DOMAINS: {
    kind: 'list',
    default: '',
    text: 'Domains whose users may log in through the provider; all if empty.',
  },
  DOCLOOM_TRUSTED_PROXIES: {
    kind: 'list',
    default: '',
    text: 'Addresses and networks of reverse proxies whose X-Forwarded-For header is trusted.',
  },
  DOCLOOM_ADMIN_GROUPS: { kind: 'list', default: '', text: 'Groups whose members manage all resources.' },
  DOCLOOM_INGEST_PRINCIPALS: {
    kind: 'list',
    default: '',
    text: 'Users and groups whose runs may ingest documents that they may not read: user:NAME, group:NAME, or a name that is either. Default: the members of DOCLOOM_ADMIN_GROUPS. Set it for api and worker.',
  },
  // storage
  DOCLOOM_DATA: { kind: 'text', default: '.docloom', text: 'Folder for all persistent data.' },
  PROJECT_REPOSITORY_BASE_DIR: {
    kind: 'text',
    text: 'Folder in which projects and flows are also kept as JSON files, written on every change and read at startup.',
  },
  DOCLOOM_CACHE: { kind: 'text', text: 'Folder for downloaded and built servers. Default: ~/.cache/docloom.' },
  DOCLOOM_SERVER: { kind: 'text', text: 'Command line: API of another machine, as with --server.' },
  DOCLOOM_TOKEN: { kind: 'text', secret: true, text: 'Command line: token for that API instead of a login.' },
  DOCLOOM_STORAGE: {
    kind: 'text',
    default: 'folder',
    oneOf: ['folder', 's3'],
    text: 'Where tables and files are stored.',
  },
  DOCLOOM_S3_ENDPOINT: { kind: 'text', text: 'URL of the S3 server.' },
  DOCLOOM_S3_REGION: { kind: 'text', default: 'us-east-1', text: 'Region of the S3 server.' },
  DOCLOOM_S3_BUCKET: { kind: 'text', default: 'docloom', text: 'Bucket of tables and files.' },
  DOCLOOM_S3_PREFIX: { kind: 'text', default: '', text: 'Prefix of all keys in the bucket.' },
  DOCLOOM_S3_ACCESS_KEY: { kind: 'text', text: 'Access key.' },
  DOCLOOM_S3_SECRET_KEY: { kind: 'text', secret: true, text: 'Secret key.' },
  DOCLOOM_TABLE_RETENTION_DAYS: {
    kind: 'integer',
    default: '7',
    minimum: 1,
    text: 'Days after which the tables of a finished run are removed, with the converted documents of a job whose ledger is empty; the record of the run stays. Graphs of `POST /api/v1/graphs` are removed after the same time.',
  },
  DOCLOOM_KEEP_ORIGINALS_MB: {
    kind: 'integer',
    default: '64',
    minimum: 0,
    text: 'Flows keep the original of each document up to this size in MiB, so that its readers can open it. 0 keeps none.',
  },
  DOCLOOM_AUDIT_DAYS: {
    kind: 'integer',
    default: '365',
    minimum: 1,
    text: 'Days after which entries of the audit log are removed.',
  },
  DOCLOOM_UPLOAD_MAX_MB: {
    kind: 'integer',
    default: '500',
    minimum: 1,
    text: 'Maximum size in MB of a file that is uploaded into a document library.',
  },
  DOCLOOM_UPLOAD_USER_MB: {
    kind: 'integer',
    default: '20000',
    minimum: 1,
    text: 'Maximum size in MB of all files in the document libraries of a user, unfinished uploads included.',
  },
  DOCLOOM_UPLOAD_LIBRARY_FILES: {
    kind: 'integer',
    default: '10000',
    minimum: 1,
    text: 'Maximum number of files in a document library, unfinished uploads included.',
  },
  DOCLOOM_UPLOAD_HOURS: {
    kind: 'integer',
    default: '24',
    minimum: 1,
    text: 'Hours after its last part when an unfinished upload is removed.',
  },
  DOCLOOM_WAIT_HOURS: {
    kind: 'number',
    default: '24',
    minimum: 0,
    text: 'Hours for which an operator waits for a server that is away before the run ends with that reason.',
  },
  DOCLOOM_SOURCE_ROOTS: {
    kind: 'list',
    default: '',
    text: 'Folders that flows may read. None by default; `docloom up` and `run` add the current folder.',
  },
  DOCLOOM_HIDDEN_FILES: {
    kind: 'boolean',
    default: 'false',
    text: 'Runs that act for administrators may read files and folders whose names begin with a dot, such as .git, below the source roots. The data and cache folders stay closed in any case.',
  },
  DOCLOOM_CUSTOM_OPERATORS: {
    kind: 'list',
    default: '',
    aliases: ['DOCPIPE_CUSTOM_OPERATORS'],
    text: 'Folders with custom operators, one per TypeScript or JavaScript file; read when the api and the worker start.',
  },
  DOCLOOM_CUSTOM_OPERATOR_SECONDS: {
    kind: 'number',
    default: '300',
    minimum: 0.1,
    text: 'Seconds that a custom operator may take for one part.',
  },
  DOCLOOM_CUSTOM_OPERATOR_MEMORY_MB: {
    kind: 'integer',
    default: '256',
    minimum: 16,
    text: 'Heap limit of the process in which a custom operator runs, in MB.',
  },
  DOCLOOM_ALLOWED_HOSTS: {
    kind: 'list',
    default: '',
    text: 'Private hosts that flows and requests may use (model servers, sources, targets): names, addresses and networks, each with a port, such as `models.internal:8000`, `127.0.0.1:11434` or `10.0.0.0/8:443`; without a port, all ports. Public hosts need no entry. The MongoDB, Temporal, OpenSearch, LDAP, PostgreSQL and S3 servers of these settings are never reached, whatever is listed.',
  },
  DOCLOOM_SEARCH_EMBEDDERS: {
    kind: 'list',
    default: '',
    text: 'Model servers that searches by vectors may send queries to, besides LOCALMODEL_HOST and HOSTEDMODEL_API_BASE_URL: host and port, or an address. Private ones must be in DOCLOOM_ALLOWED_HOSTS too. Indexes of other embedders are left out of such searches with a warning.',
  },
  LOCALMODEL_HOST: {
    kind: 'text',
    default: 'http://127.0.0.1:11434',
    text: 'URL of the local model host for flows that name none.',
  },
  DOCLOOM_ANSWER_MODEL: {
    kind: 'text',
    default: '',
    text: 'Model at LOCALMODEL_HOST that answers questions from documents (`POST /api/v1/documents/ask`). Empty: no such answers.',
  },
  HOSTEDMODEL_API_BASE_URL: {
    kind: 'text',
    text: 'URL of the hosted model vendor: for listing its models, and for flows that name none.',
  },
  DOCLOOM_HOSTEDMODEL_TOKEN_URL: {
    kind: 'text',
    default: 'https://iam.cloud.ibm.com/identity/token',
    text: 'URL at which an API key of the hosted vendor is exchanged for a token.',
  },
  // conversion service
  CONVERT_SERVE_API_KEY: {
    kind: 'list',
    default: '',
    secret: true,
    only: 'api',
    aliases: ['DOCLING_SERVE_API_KEY'],
    text: 'API keys of the conversion service, any of which is accepted as X-Api-Key; if empty, no key is required.',
  },
  CONVERT_SERVE_ENABLE_REMOTE_SERVICES: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ENABLE_REMOTE_SERVICES'],
    text: 'Allow conversions to use models on other servers.',
  },
  DOCLOOM_VISION_URL: {
    kind: 'text',
    text: 'Chat completions URL (OpenAI protocol) of a vision model, such as http://127.0.0.1:8000/v1/chat/completions: for the pipeline vlm and for enrichments of conversions that name no model. The service uses it only with CONVERT_SERVE_ENABLE_REMOTE_SERVICES.',
  },
  DOCLOOM_VISION_API_KEY: { kind: 'text', secret: true, text: 'Bearer token for DOCLOOM_VISION_URL.' },
  DOCLOOM_VISION_MODEL: { kind: 'text', text: 'Name of the model at DOCLOOM_VISION_URL.' },
  DOCLOOM_VISION_MODELS: {
    kind: 'list',
    default: '',
    text: 'Other models at DOCLOOM_VISION_URL for single tasks, such as description=a-model: pages, description, classification, charts, code, formulas.',
  },
  DOCLOOM_VISION_FORMAT: {
    kind: 'text',
    default: 'doctags',
    oneOf: ['doctags', 'doclang', 'otsl', 'markdown', 'html', 'plaintext'],
    text: 'Format in which the vision model writes pages.',
  },
  DOCLOOM_VISION_CONCURRENCY: {
    kind: 'integer',
    default: '4',
    minimum: 1,
    text: 'Concurrent requests to the vision model per document.',
  },
  DOCLOOM_VISION_SECONDS: {
    kind: 'integer',
    default: '120',
    minimum: 1,
    text: 'Timeout in seconds for a request to the vision model.',
  },
  CONVERT_SERVE_MAX_SYNC_WAIT: {
    kind: 'number',
    default: '120',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_SYNC_WAIT'],
    text: 'Seconds that a synchronous request waits for its conversion; then the reply is 504, and the task continues.',
  },
  CONVERT_SERVE_DOCUMENT_TIMEOUT: {
    kind: 'number',
    default: '600',
    minimum: 0,
    text: 'Seconds that a document may take whose request has no document_timeout. A minute is added for each megabyte above the first; documents for vision models may take six times as long. 0: the maximum for every document.',
  },
  CONVERT_SERVE_MAX_DOCUMENT_TIMEOUT: {
    kind: 'number',
    default: '604800',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_DOCUMENT_TIMEOUT'],
    text: 'Maximum document_timeout of a request, in seconds.',
  },
  CONVERT_SERVE_MAX_SOURCES_PER_REQUEST: {
    kind: 'integer',
    default: '100',
    minimum: 1,
    aliases: ['DOCLING_SERVE_MAX_SOURCES_PER_REQUEST'],
    text: 'Maximum number of sources per conversion request.',
  },
  CONVERT_SERVE_MAX_IMAGES_SCALE: {
    kind: 'number',
    default: '2',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_IMAGES_SCALE'],
    text: 'Maximum images_scale of a conversion request.',
  },
  CONVERT_SERVE_ALLOWED_IMAGE_EXPORT_MODES: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_IMAGE_EXPORT_MODES'],
    text: 'Values of image_export_mode that requests may use; all if empty.',
  },
  CONVERT_SERVE_ALLOWED_OCR_PRESETS: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_OCR_PRESETS'],
    text: 'Values of ocr_preset that requests may use; all if empty.',
  },
  CONVERT_SERVE_ALLOWED_SOURCE_TYPES: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_SOURCE_TYPES'],
    text: 'Kinds of sources that requests may use besides file and http; all if empty.',
  },
  CONVERT_SERVE_ALLOWED_TARGET_TYPES: {
    kind: 'list',
    default: '',
    aliases: ['DOCLING_SERVE_ALLOWED_TARGET_TYPES'],
    text: 'Kinds of targets that requests may use; all if empty.',
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
    text: 'Stages for which a request may configure its own model that is not remote: vlm, picture_description, code_formula, table_structure, layout, picture_classification, chart_extraction, ocr.',
  },
  CONVERT_SERVE_SHOW_VERSION_INFO: {
    kind: 'boolean',
    default: 'true',
    aliases: ['DOCLING_SERVE_SHOW_VERSION_INFO'],
    text: 'Show versions at GET /version.',
  },
  CONVERT_SERVE_ENABLE_MANAGEMENT_ENDPOINTS: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ENABLE_MANAGEMENT_ENDPOINTS'],
    text: 'Enable GET /v1/memory/stats and /v1/memory/counts.',
  },
  CONVERT_SERVE_TENANT_ID_HEADER: {
    kind: 'text',
    default: 'X-Tenant-Id',
    aliases: ['DOCLING_SERVE_ENG_RAY_TENANT_ID_HEADER'],
    text: 'Name of the header that contains the tenant of a conversion request.',
  },
  CONVERT_SERVE_MAX_FILE_SIZE: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_FILE_SIZE'],
    text: 'Maximum size in bytes of a document to convert, uploaded or downloaded; only the document that exceeds it fails. 0 for no separate limit.',
  },
  CONVERT_SERVE_MAX_NUM_PAGES: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    aliases: ['DOCLING_SERVE_MAX_NUM_PAGES'],
    text: 'Maximum number of pages, slides or sheets of a document to convert; only the document that exceeds it fails. 0 for the built-in limit of 10,000.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ENABLED'],
    text: 'Enable presigned_url targets, stored in the bucket that the next settings define.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ENDPOINT: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ENDPOINT'],
    text: 'Host and port of the S3 server for results, as clients reach it.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_VERIFY_SSL: {
    kind: 'boolean',
    default: 'true',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_VERIFY_SSL'],
    text: 'Use HTTPS for the S3 server for results.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_BUCKET: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_BUCKET'],
    text: 'Bucket for results with presigned URLs.',
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
    text: 'Seconds that a presigned URL is valid; at most 604800.',
  },
  DOCLOOM_FETCH_MAX_MB: {
    kind: 'integer',
    default: '500',
    minimum: 1,
    text: 'Maximum size in MB of a source that the conversion service downloads.',
  },
  DOCLOOM_FETCH_SECONDS: {
    kind: 'integer',
    default: '120',
    minimum: 1,
    text: 'Timeout in seconds for downloading a source.',
  },
  DOCLOOM_RESULT_RETENTION_MINUTES: {
    kind: 'integer',
    default: '10080',
    minimum: 1,
    text: 'Minutes after which a finished conversion task and its results are deleted, whether fetched or not.',
  },
  DOCLOOM_CALLBACK_SECRET: {
    kind: 'text',
    secret: true,
    text: 'Key that signs callbacks of conversion tasks (HMAC-SHA256 in the header X-Docloom-Signature); if not set, they are not signed.',
  },
  DOCLOOM_HONOUR_FROM_FORMATS: {
    kind: 'boolean',
    default: 'true',
    text: 'Skip documents whose format is not listed in from_formats.',
  },
  DOCLOOM_MAX_JSON_MB: {
    kind: 'integer',
    default: '100',
    minimum: 1,
    text: 'Maximum size in MB of a JSON body of the conversion service; larger ones give 413.',
  },
  DOCLOOM_MAX_UPLOAD_MB: {
    kind: 'integer',
    default: '256',
    minimum: 1,
    text: 'Maximum size in MB of an upload to the conversion service, all files together; larger ones give 413.',
  },
  DOCLOOM_EMBEDDING_CACHE_DAYS: {
    kind: 'integer',
    default: '30',
    minimum: 0,
    text: 'Days that a vector from a model is cached in MongoDB after its last use, so that runs for the same people do not pay for equal texts twice; 0 disables the cache.',
  },
  // work
  DOCLOOM_TASK_QUEUE: {
    kind: 'text',
    default: 'docloom',
    text: 'Prefix of the Temporal task queues; the identity of the installation follows it.',
  },
  DOCLOOM_PAYLOAD_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    text: 'Keys (32 bytes in base64 each) that encrypt the payloads of runs in Temporal: the first encrypts, all of them decrypt.',
  },
  DOCLOOM_CONNECTION_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    text: 'Keys (32 bytes in base64 each) that encrypt stored secrets in MongoDB: the first encrypts, all of them decrypt. The same for every api and worker. Default: a generated key in the file connection-keys of DOCLOOM_DATA.',
  },
  DOCLOOM_CONVERSION_THREADS: {
    kind: 'integer',
    default: '2',
    minimum: 1,
    aliases: ['DOCLING_SERVE_ENG_LOC_NUM_WORKERS'],
    text: 'Worker threads that convert documents.',
  },
  DOCLOOM_PAGE_TIMEOUT: {
    kind: 'number',
    default: '180',
    minimum: 0,
    text: 'Seconds that one page of a PDF may take to read or to draw, text recognition included; then the conversion ends with CONVERSION_TIMEOUT. 0: no limit for a page. Documents that wait for vision models have none.',
  },
  DOCLOOM_MODELS_FOLDER: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACTS_PATH'],
    text: 'Folder of models: layout (`layout`), tables (`table-structure`), text recognition languages (`tessdata`), and embedders and tokenizers by name (`<organisation>/<model>/tokenizer.json`). Nothing is downloaded into it.',
  },
  DOCLOOM_EMBEDDING_THREADS: {
    kind: 'integer',
    default: '2',
    minimum: 1,
    text: 'Threads of an embedding model that runs in the process (`onnx`, `builtin`).',
  },
  DOCLOOM_CONVERSION_MEMORY_MB: {
    kind: 'integer',
    default: '512',
    minimum: 64,
    text: 'Heap limit in MB of a conversion thread, and of a thread that builds a graph.',
  },
  DOCLOOM_DRAIN_SECONDS: {
    kind: 'integer',
    default: '10',
    minimum: 0,
    text: 'Seconds that a stopping process gives running work to finish.',
  },
  DOCLOOM_METRICS_PORT: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    text: "Port of the worker's /metrics, /health and /ready; 0 to disable.",
  },
  PIPE_STORAGE_BACKEND: {
    kind: 'text',
    default: 'mongodb',
    oneOf: ['mongodb', 'filesystem', 'postgres'],
    text: 'Where the statistics, failed documents and results of runs are stored; run records are always in MongoDB.',
  },
  PIPE_JOB_STATS_BASE_DIR: {
    kind: 'text',
    text: 'Folder of the filesystem backend, shared by all apis and workers. Default: job-stats in DOCLOOM_DATA.',
  },
  PIPE_POSTGRES_HOST: { kind: 'text', default: '127.0.0.1', text: 'Host of PostgreSQL.' },
  PIPE_POSTGRES_PORT: { kind: 'port', default: '5432', text: 'Port of PostgreSQL.' },
  PIPE_POSTGRES_DB: { kind: 'text', default: 'docloom', text: 'PostgreSQL database; the tables are created in it.' },
  PIPE_POSTGRES_USER: { kind: 'text', default: 'docloom', text: 'User of PostgreSQL.' },
  PIPE_POSTGRES_PASSWORD: { kind: 'text', secret: true, text: 'Password of PIPE_POSTGRES_USER.' },
  PIPE_POSTGRES_USE_SSL: {
    kind: 'boolean',
    default: 'false',
    text: 'Use TLS for PostgreSQL; its certificate is verified.',
  },
  PIPE_FRAMEWORK_TYPE: { kind: 'text', default: 'temporal', oneOf: ['temporal'], text: 'Accepted for compatibility.' },
  DS_LOG_LEVEL: {
    kind: 'text',
    default: 'INFO',
    oneOf: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    aliases: ['DOCLING_SERVE_LOG_LEVEL'],
    text: 'Minimum level that is logged.',
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

/** All parsed settings. */
export type Config = { [Name in SettingName]: Value<(typeof settings)[Name]> };

/** Parses all settings and reports every problem at once as INVALID_CONFIGURATION. Empty values count as not set. */
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

/** The environment for our own processes other than the api, without the secrets that only the api needs. */
export function withoutApiSecrets<T extends string | undefined>(env: Record<string, T>): Record<string, T> {
  return without(env, (setting) => setting.only === 'api');
}

/** The environment for third-party programs, without any secret of the product or of flows. */
export function withoutOwnSecrets<T extends string | undefined>(env: Record<string, T>): Record<string, T> {
  return without(env, (setting) => setting.secret === true, /^DOCLOOM_SECRET_/);
}

function without<T extends string | undefined>(
  env: Record<string, T>,
  isLeftOut: (setting: Setting) => boolean,
  pattern?: RegExp,
): Record<string, T> {
  const names = new Set(
    Object.entries<Setting>(settings).flatMap(([name, setting]) =>
      isLeftOut(setting) ? [name, ...(setting.aliases ?? [])] : [],
    ),
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name) && !pattern?.test(name)));
}

/** The value of the setting itself, else of its first alias that has one; blank values count as not set. */
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

/** A guessable secret would let anybody forge tokens. The message never contains any part of the secret. */
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

/** Accepts comma-separated items, or a JSON array as other servers do. */
function itemsOf(text: string): string[] {
  const isArray = text.startsWith('[') && text.endsWith(']');
  const items = (isArray ? text.slice(1, -1) : text).split(',').map((item) => item.trim());
  return items.map((item) => (isArray ? item.replace(/^"(.*)"$/, '$1') : item)).filter(Boolean);
}

/** The output of `docloom config`: origin and value of each setting, with secrets masked. */
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
