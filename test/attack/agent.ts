import type { Case } from './cases';
import { leaks } from './judge';
import type { World } from './world';

/** Every tool and task of `/mcp` against resources of the owner, called by everybody else. */
export const agentTools: Case = async (world) => {
  const { ids } = world;
  const calls: [string, Record<string, unknown>][] = [
    ['search_documents', { query: world.canary('document'), mode: 'text' }],
    ['search_documents', { query: 'x', mode: 'text', index: ids['index_name'] }],
    ['get_document', { document_id: ids['document_id'] }],
    ['get_page', { document_id: ids['document_id'], page: 1, boxes: true, image: true }],
    ['explain_access', { document_id: ids['document_id'] }],
    ['read_facts', { document_set_id: ids['set_id'] }],
    ['start_flow', { flow_id: ids['failed_flow_id'] }],
    ['get_run', { run_id: ids['job_run_id'] }],
    ['cancel_run', { run_id: ids['job_run_id'] }],
    ['graph_nodes', { graph_id: ids['graph_id'] }],
    ['graph_neighbours', { graph_id: ids['graph_id'], node: 'a' }],
    ['graph_paths', { graph_id: ids['graph_id'], from: 'a', to: 'b' }],
    ['graph_passages', { graph_id: ids['graph_id'], query: 'x' }],
    ...['list_flows', 'list_runs', 'list_failed_documents', 'list_document_sets', 'list_graphs'].map(
      (name): [string, Record<string, unknown>] => [name, {}],
    ),
  ];
  const found: string[] = [];
  for (const [name, given] of calls) {
    // The rejection may repeat the input.
    const inputs = Object.values(given).filter((value) => typeof value === 'string');
    const answer = await callTool(world, 'other', name, given);
    const text = inputs.reduce((rest, input) => rest.replaceAll(input, ''), answer.text);
    found.push(...leaks('other', { ...answer, text }, world.canaries).map((leak) => `${name} shows ${leak}`));
    if (name !== 'search_documents' && !name.startsWith('list_') && !text.includes('"isError":true'))
      found.push(`${name} answers somebody who may not ask: ${text.slice(0, 200)}`);
  }
  const taskId = `start_flow/1/${ids['job_run_id']}`;
  for (const [method, revision] of taskMethods) {
    const answer = await send(world, 'other', method, { taskId }, revision);
    const text = answer.text.replaceAll(taskId, '');
    found.push(...leaks('other', { ...answer, text }, world.canaries).map((leak) => `${method} shows ${leak}`));
    if (!/"isError":true|"error":/.test(text))
      found.push(`${method} answers somebody who may not ask: ${text.slice(0, 200)}`);
  }
  const { status } = await callTool(world, 'nobody', 'list_flows', {});
  return status === 401 ? found : [...found, `a call without a token gets ${status}`];
};

/** The methods of both revisions of the protocol that have tasks. */
const taskMethods = [
  ['tasks/get', undefined],
  ['tasks/result', undefined],
  ['tasks/cancel', undefined],
  ['tasks/get', '2026-07-28'],
  ['tasks/update', '2026-07-28'],
  ['tasks/cancel', '2026-07-28'],
] as const;

function callTool(world: World, role: 'other' | 'nobody', name: string, input: Record<string, unknown>) {
  return send(world, role, 'tools/call', { name, arguments: input });
}

function send(world: World, role: 'other' | 'nobody', method: string, params: object, revision?: string) {
  const modern = revision === undefined ? undefined : describeRequest(revision, method, params);
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, ...modern?.params } };
  return world.ask(role, {
    method: 'POST',
    path: '/mcp',
    body,
    headers: { Accept: 'application/json, text/event-stream', ...modern?.headers },
  });
}

/** What each request says about itself from revision 2026-07-28 on. */
function describeRequest(revision: string, method: string, params: { taskId?: string }) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const headers = { 'MCP-Protocol-Version': revision, 'Mcp-Method': method, 'Mcp-Name': params.taskId ?? '' };
  return { params: { _meta }, headers };
}
