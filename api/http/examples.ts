/** A request of an operation, in addition to its path parameters. */
export interface RequestExample {
  query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  body?: unknown;
}

/** Example values of path parameters, by name. */
export const parameterExamples: Readonly<Record<string, string>> = {
  project_id: '5f0c7a52-0b1e-4c39-9a4e-6c1f1f7f2a10',
  flow_id: '0b8c0f6e-5a3e-4d0b-9f4c-3d2f1a6b7c8d',
  version: '1',
  job_run_id: '99ecb0d4-7d43-4f8e-8a43-5f6d1c2b3a49',
  schedule_id: '3a1d2c4b-9e8f-4a7b-8c6d-5e4f3a2b1c0d',
  library_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  file_id: 'c9bf9e57-1685-4c89-bafb-ff5af830be8a',
  upload_id: '9a7b330a-a736-41e5-9f2e-21b2c3d4e5f6',
  part: '1',
  page: '1',
  set_id: '550e8400-e29b-41d4-a716-446655440000',
  document_id: 'invoice-2026-0042',
  removal_id: 'f3b5c1de-8a54-4c0e-a3f0-2b8a8b6f9d10',
  index_name: 'invoices',
  provider: 'localmodel',
  file: 'start.js',
  graph_id: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  name: 'graph.json',
  connection_id: '4f1c2a9e-6f0b-4d7e-9a53-0c8f6e2b7d11',
  session_id: 'b5a0d7c2-1e4f-4a68-9c3b-7d2e8f9a0b1c',
  map_id: 'fileserver',
  key_id: '6d1f2b3c-4a5e-4f60-8172-93a4b5c6d7e8',
  account_name: 'service:nightly-import',
  failed_id: 'q7dVn0Zb3mUk2oYw5b8n1Zr4vQe6tJc9dLh0sAiPfKuE',
  review_id: 'mUk3b0xg7mX2oYw5b8n1Zr4vQe6tJc9dLh0sAiPfKuE',
  webhook_id: '8e1f0a2b-3c4d-4e5f-a607-18293a4b5c6d',
  query_id: '9f2c4e1a7b3d5f60819a2b3c4d5e6f70',
  search_id: '2c8e5f14-7b6a-4d3c-8e9f-1a0b2c3d4e5f',
};

const flow = {
  flow_name: 'invoices',
  description: 'Invoices of the finance department, by words and by meaning.',
  tags: ['finance'],
  global_config: { force_ingest: false },
  flow: [
    {
      type: 'ingest_source',
      name: 'ingest',
      config: { provider: 'filesystem', connection_params: { paths: ['/srv/documents/invoices'] } },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    { type: 'chunker', name: 'chunk', depends_on: ['extract'], config: { chunk_type: 'simple', chunk_size: 1_000 } },
    { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
    { type: 'vectordb', name: 'index', depends_on: ['embed'], config: { index_name: 'invoices' } },
  ],
};

/**
 * One example request for every operation with a query or a body, by operation name. The OpenAPI document shows the examples,
 * and a test sends each.
 */
export const requestExamples: Readonly<Record<string, RequestExample>> = {
  post_auth_login: { body: { username: 'alice', password: 'right' } },
  get_auth_oauth2_authorize: { query: { provider: 'generic' } },
  get_auth_oauth2_callback: { query: { state: 'as-it-was-given', code: 'of-the-provider', provider: 'generic' } },
  post_auth_oauth2_token: { body: { code: 'as-it-came-back-with-the-browser' } },

  post_temporal_codec_decode: { body: { payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'e30=' }] } },
  post_temporal_codec_encode: { body: { payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'e30=' }] } },

  get_names: { query: { text: 'al', kind: 'user', limit: 20 } },

  post_projects: {
    body: { name: 'Finance', description: 'What the department files.', tags: ['finance'], members: ['bob'] },
  },
  get_projects: { query: { name: 'fin', tags: ['finance'], sort: '-modified_on', limit: 20, offset: 0 } },
  put_projects_project_id: { body: { name: 'Finance and control', tags: ['finance'], members: ['bob', 'carol'] } },
  patch_projects_project_id: {
    body: { description: null, members: ['bob', 'carol'], roles: [{ user: 'carol', role: 'viewer' }] },
  },
  delete_projects_project_id: { query: { force: false } },
  get_projects_project_id_flows: { query: { name: 'inv', sort: 'name', limit: 20 } },

  post_flows: { body: flow },
  get_flows: { query: { name: 'inv', tags: ['finance'], sort: '-created_on', limit: 20, offset: 0 } },
  get_flows_flow_id: { query: { is_elyra: false } },
  put_flows_flow_id: { body: { ...flow, description: 'All invoices.' } },
  patch_flows_flow_id: { body: { tags: ['finance', 'monthly'], global_config: { fail_fast: true } } },
  delete_flows_flow_id: { query: { force: false, with_records: false } },
  get_flows_flow_id_versions: { query: { limit: 20 } },
  get_flows_flow_id_versions_version_difference: { query: { base_version: 1 } },
  delete_flows: { query: { flow_ids: '0b8c0f6e-5a3e-4d0b-9f4c-3d2f1a6b7c8d' } },

  post_job_runs: {
    body: {
      entity: {
        job: { asset_ref: '0b8c0f6e-5a3e-4d0b-9f4c-3d2f1a6b7c8d' },
        job_run: { configuration: { force_ingest: true, metadata: { asked_by: 'the month-end report' } } },
      },
    },
  },
  get_job_runs: {
    query: {
      status: 'CompletedWithErrors,Failed',
      flow_name: 'inv',
      sort: '-ended_at',
      created_from: '2026-01-01T00:00:00Z',
      limit: 20,
    },
  },
  get_job_runs_job_run_id: { query: { include_logs: true, include_batches: true } },
  put_job_runs_job_run_id_concurrency: { body: { max_concurrent_batches: 8 } },
  delete_job_runs_job_run_id: { query: { force: false } },
  get_job_runs_job_run_id_documents: { query: { outcome: 'failed', limit: 20 } },
  post_job_runs_job_run_id_rerun: { body: { mode: 'operator', from_operator: 'index' } },

  post_job_runs_bulk: { body: { action: 'cancel', job_run_ids: ['99ecb0d4-7d43-4f8e-8a43-5f6d1c2b3a49'] } },
  get_job_runs_job_run_id_report: { query: { exact: true } },
  get_job_runs_job_run_id_log: { query: { level: 'warning', limit: 20 } },
  get_job_runs_job_run_id_comparison: { query: { base_run_id: '99ecb0d4-7d43-4f8e-8a43-5f6d1c2b3a49' } },
  get_job_runs_job_run_id_rows: { query: { operator: 'ingest', limit: 20 } },
  get_job_runs_job_run_id_rows_export: { query: { operator: 'ingest', format: 'csv' } },
  get_failed_documents: { query: { code: 'DOCUMENT_CORRUPT', state: 'failed', limit: 20 } },
  get_failed_documents_groups: { query: { by: 'code' } },
  get_failed_documents_report: { query: { operator: 'extract' } },
  post_failed_documents_retry: { body: { code: 'DOCUMENT_CORRUPT' } },
  get_reviews: { query: { state: 'open', code: 'low_confidence', limit: 20 } },
  post_reviews_accept: { body: { ids: ['review'], accept: true } },
  put_reviews_review_id_correction: { body: { markdown: '# Invoice 17\n\nTotal: 120.00', version: 'hash' } },
  post_failed_documents_ignore: { body: { code: 'DOCUMENT_ENCRYPTED', ignore: true } },
  post_failed_documents_leave_out: { body: { code: 'DOCUMENT_ENCRYPTED', leave_out: true } },

  post_schedules_bulk: {
    body: {
      action: 'pause',
      schedules: [
        {
          flow_id: '0b8c0f6e-5a3e-4d0b-9f4c-3d2f1a6b7c8d',
          schedule_id: '2f1d7a50-8f0e-4a07-9c9c-0a6f0c1d2e3f',
        },
      ],
    },
  },
  post_document_sets_bulk: {
    body: { action: 'share', set_ids: ['3b241101-e2bb-4255-8caf-4136c566a962'], readers: ['bob'] },
  },
  post_flows_flow_id_schedules: {
    body: { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin', name: 'Weekday mornings', note: 'Before work begins.' },
  },
  patch_flows_flow_id_schedules_schedule_id: { body: { cron: '30 5 * * 1-5', note: 'Half an hour earlier.' } },
  get_flows_flow_id_schedules: { query: { limit: 20 } },

  get_providers_provider_models: {},
  post_destinations_check: {
    body: {
      config: {
        destination: 's3',
        formats: ['md'],
        connection_params: {
          bucket: 'handbook',
          endpoint_url: 'https://s3.example.org',
          access_key: '${connection:exports.access_key}',
          secret_key: '${connection:exports.secret_key}',
        },
      },
    },
  },
  post_sources_check: {
    body: {
      config: {
        provider: 's3',
        connection_params: { bucket: 'invoices', endpoint_url: 'https://s3.example.org' },
        credentials: { access_key: '${connection:bucket.access_key}', secret_key: '${connection:bucket.secret_key}' },
      },
    },
  },
  post_validation_validate_flow: { query: { deep: false }, body: flow },

  post_connections: {
    body: { name: 'crm', type: 'web', hosts: ['crm.example.org:443'], secret: 'a-key-of-the-crm' },
  },
  post_webhooks: { body: { url: 'https://hooks.example.org/docloom', events: ['run.ended', 'document.failed'] } },
  get_webhooks: { query: { limit: 20 } },
  patch_webhooks_webhook_id: { body: { active: false } },
  get_webhooks_webhook_id_deliveries: { query: { limit: 20 } },
  post_api_keys: { body: { name: 'nightly import', scopes: ['read', 'run'], expires_in_days: 30 } },
  get_api_keys: { query: { limit: 20 } },
  post_service_accounts: { body: { account_name: 'service:reports', description: 'Builds the monthly reports.' } },
  get_service_accounts: { query: { limit: 20 } },
  get_sessions: { query: { limit: 20 } },
  get_audit: { query: { user: 'alice', outcome: 'FORBIDDEN', limit: 20 } },
  get_identity_maps: { query: { limit: 20 } },
  put_identity_maps_map_id: {
    body: {
      places: ['file:/srv/share'],
      directory: 'system',
      match: [{ by: 'name' }],
      pairs: [{ account: '1004', login: 'erika.muster' }],
    },
  },
  get_identity_maps_map_id_identities: { query: { state: 'unmapped', limit: 20 } },
  get_connections: { query: { limit: 20 } },
  post_documents_ask: { body: { question: 'When was the tide gauge of Hull zeroed?' } },
  get_documents_suggest: { query: { q: 'tide ga' } },
  post_saved_searches: {
    body: { name: 'New on tide gauges', request: { query: 'tide gauge', mode: 'hybrid' }, readers: ['bob'] },
  },
  get_saved_searches: { query: { limit: 20 } },
  post_judged_queries: { body: { query: 'tide gauge', document_id: 'invoice-2026-0042', is_relevant: true } },
  get_judged_queries: { query: { limit: 20 } },
  put_saved_searches_search_id: {
    body: { name: 'Tide gauges in Hull', request: { query: 'tide gauge', filters: { place: 'Hull' } } },
  },
  patch_connections_connection_id: { body: { hosts: ['crm.example.org'], secret: 'another-key' } },
  post_document_libraries: { body: { name: 'Annual reports', purpose: 'Audits', tags: ['audit'], readers: ['bob'] } },
  get_document_libraries: { query: { name: 'rep', tags: ['audit'], limit: 20 } },
  patch_document_libraries_library_id: { body: { purpose: 'Audits and answers to them', readers: ['bob', 'carol'] } },
  put_document_libraries_library_id_document_sets: {
    body: { document_set_ids: ['6ba7b810-9dad-41d1-80b4-00c04fd430c8'] },
  },
  delete_document_libraries_library_id_document_sets: {
    body: { document_set_ids: ['550e8400-e29b-41d4-a716-446655440000'] },
  },
  get_document_libraries_library_id_document_sets: { query: { limit: 20 } },

  post_document_libraries_library_id_uploads: {
    body: {
      name: 'report-2026.pdf',
      size: 1_048_576,
      sha256: '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1',
    },
  },
  put_document_libraries_library_id_uploads_upload_id_parts_part: {
    query: { sha256: '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1' },
  },
  get_document_libraries_library_id_files: { query: { name: 'report', limit: 20 } },

  post_document_sets: { body: { name: 'reports-2026', description: 'As they were filed.', metadata: { year: 2026 } } },
  get_document_sets: { query: { name: 'reports', limit: 20 } },
  patch_document_sets_set_id: { body: { description: 'As they were filed, without drafts.', readers: ['bob'] } },
  delete_document_sets_set_id: { query: { delete_data: true } },
  get_document_sets_set_id_preview: { query: { columns: ['id', 'name'], limit: 20 } },
  get_document_sets_set_id_graphs_document_id: { query: { part: 'provenance' } },
  get_document_sets_set_id_export: { query: { format: 'csv', columns: ['id', 'name'] } },

  post_graphs: {
    body: {
      text: '# Invoice\n\nInvoice number: 2026-0042\n\nTotal: 1,234.50 EUR',
      template: {
        title: 'Invoice',
        type: 'object',
        'x-graph-id-fields': ['number'],
        properties: { number: { type: 'string', description: 'Invoice number' }, total: { type: 'number' } },
      },
      options: { formats: ['json', 'cypher', 'html'], provenance: 'detailed' },
    },
  },
  get_graphs: { query: { state: 'COMPLETED', limit: 20 } },
  post_graphs_graph_id_update: { body: { dry_run: true } },
  patch_graphs_graph_id: { body: { readers: ['bob'], resolution: 'rules' } },
  get_graphs_templates: { query: { document_type: 'invoice' } },
  post_graphs_template: { body: { text: 'Order number: PO-17\n\nBuyer: Harbour Board', root: 'Order' } },
  get_graphs_graph_id_documents: { query: { state: 'failed', limit: 20 } },
  get_graphs_graph_id_pairs: { query: { state: 'open', limit: 20 } },
  post_graphs_graph_id_pairs: {
    body: { decisions: [{ nodes: ['Party_4f1d0a3c5b6e7f80', 'Party_9a2c7e1b30d4f586'], state: 'same' }] },
  },
  get_graphs_graph_id_nodes: { query: { label: 'Party', property: 'city', value: 'Leith', limit: 20 } },
  get_graphs_graph_id_neighbours: { query: { node: 'Party_4f1d0a3c5b6e7f80', direction: 'in', limit: 20 } },
  get_graphs_graph_id_passages: { query: { query: 'Where is the buyer of order PO-17?', limit: 5 } },
  get_graphs_graph_id_paths: {
    query: { from: 'Party_4f1d0a3c5b6e7f80', to: 'Order_0a1b2c3d4e5f6071', max_length: 4 },
  },
  get_graphs_graph_id_result: { query: { format: 'json' } },
  delete_documents_document_id: { query: { everywhere: false } },
  get_removals: { query: { limit: 20 } },
  get_indexes: { query: { limit: 20 } },
  patch_indexes_index_name: { body: { description: 'Invoices of the finance department.' } },
  get_documents_document_id: { query: { store: 'opensearch' } },
  get_documents_document_id_chunks: { query: { limit: 20, offset: 0 } },
  get_documents_document_id_pages_page: { query: { uncovered: true } },
  post_access_explain: { body: { user: 'bob', document_id: 'd-1' } },
  post_documents_search_as: { body: { user_id: 'bob', query: 'unpaid invoices', limit: 20 } },
  post_documents_search: {
    body: {
      query: 'unpaid invoices',
      filters: { 'metadata.department': ['finance', 'control'] },
      sort: [{ updated_at: 'desc' }],
      limit: 10,
      offset: 0,
    },
  },
};
