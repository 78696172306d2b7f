import { createHash } from 'node:crypto';
import { ValueError } from '../core/errors';
import { type AnyGraph, copyGraph } from '../core/graphology';
import { jsonText } from '../core/json-text';
import { edgesOf, type KnowledgeGraph, type NodeKey, findText } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, isEmpty } from '../core/value';
import { writePythonText } from '../peer/python-text';
import { type GraphSample, sampleGraph } from '../stream/sample';
import { pageProgram, pageStyle } from './html-page';

/** A page with more nodes is slow in browsers, so it shows a sample. */
export const mostShown = 2_000;

/**
 * An HTML page that shows the graph, or a sample of a large graph, with search, filters and details. It loads nothing,
 * and its content security policy allows only its own script, so that document content cannot run. Throws a ValueError
 * without nodes.
 */
export const graphHtml = (graph: AnyGraph, title?: string): string =>
  sampleHtml(sampleGraph(copyGraph(graph), mostShown), title);

/** The page of a sample, which states how many nodes and edges the whole graph has. */
export function sampleHtml({ graph, nodes, edges }: GraphSample, title = 'Knowledge graph'): string {
  if (graph.nodes.size === 0) throw new ValueError('Cannot show an empty graph');
  const isPart = graph.nodes.size < nodes;
  const partNote = isPart ? `. Shown: the best connected ${graph.nodes.size}, with ${graph.edges.size} edges` : '';
  const hash = createHash('sha256').update(pageProgram).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<svg role="img" aria-label="${escapeHtml(title)}"></svg>
<aside>
<h1>${escapeHtml(title)}: ${nodes} nodes, ${edges} edges${partNote}</h1>
<input type="search" aria-label="Search" placeholder="Search">
<div id="types"></div>
<dl id="details"></dl>
</aside>
<script type="application/json" id="data">${escapeForScript(jsonText(buildPageData(graph), { nonFinite: 'null' }))}</script>
<script>${pageProgram}</script>
</body>
</html>
`;
}

// Nodes are referenced by index, so that ids of any type work.
function buildPageData(graph: KnowledgeGraph): GraphValue {
  const indexes = new Map<NodeKey, number>([...graph.nodes.keys()].map((key, index) => [key, index]));
  const edges = edgesOf(graph).flatMap(({ source, target, attributes }): Attributes[] => {
    const [from, to] = [indexes.get(source), indexes.get(target)];
    return from === undefined || to === undefined
      ? []
      : [{ source: from, target: to, label: findText(attributes['label']) ?? 'RELATED_TO' }];
  });
  const nodes = [...graph.nodes].map(([key, attributes]) => ({
    label: findText(attributes['label']) ?? 'Node',
    title: findTitle(key, attributes),
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => !isEmpty(value))),
  }));
  return { nodes, edges };
}

const ownAttributes = new Set(['id', 'label', 'type', '__class__', '__provenance__']);

const maxTitleLength = 80;

// The first attribute with content is usually the name.
function findTitle(key: NodeKey, attributes: Attributes): string {
  const titleEntry = Object.entries(attributes).find(
    ([name, value]) =>
      !ownAttributes.has(name) && (typeof value === 'string' || typeof value === 'number') && value !== '',
  );
  return writePythonText(titleEntry?.[1] ?? key).slice(0, maxTitleLength);
}

const escapeForScript = (json: string) =>
  json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (char) => entities[char] ?? char);
