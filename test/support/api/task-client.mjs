// Calls a tool of /mcp with the published client of the extension for tasks, which only ES modules can load. Prints each method
// that it calls, then the result: node task-client.mjs ADDRESS TOKEN TOOL ARGUMENTS
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';

const [address, token, tool, given] = process.argv.slice(2);
const clientInfo = { name: 'test', version: '1' };
const protocolVersion = '2026-07-28';
const headers = { Authorization: `Bearer ${token}` };
const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: protocolVersion } } });
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));

let id = 0;
async function rawDispatch(request) {
  const { method, params } = request;
  process.stdout.write(`${method}\n`);
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': protocolVersion,
      'Mcp-Method': method,
      'Mcp-Name': params.taskId ?? params.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), ...request }),
  });
  const text = await response.text();
  const [, data] = /^data: (.+)$/m.exec(text) ?? [];
  return JSON.parse(data ?? text);
}

const session = createTaskSessionFromClient(client, {
  endpointId: address,
  rawDispatch,
  v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
});
const execution = await session.callTool(tool, JSON.parse(given));
const { outcome } = await execution.settle();
process.stdout.write(`${JSON.stringify(resultFromTaskOutcome(outcome))}\n`);
await session.close();
await client.close();
