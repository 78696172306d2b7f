// Writes the generated part of the Python client, client/python/docloom/{models,operations}.py, from the OpenAPI document, when
// `node scripts/doc-tables.js` runs. The rest of that package is written by hand. test/contract/python-client.test.ts fails when the files are out of date.
'use strict';
const { writeFileSync } = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, '..', 'client', 'python', 'docloom');
const heading = '# Generated from the OpenAPI document by scripts/doc-tables.js; changes here are lost.\n';
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
/** Pages, redirects of a browser, and what only the Temporal UI calls. */
const notForPrograms =
  /^\/$|^\/protected$|^\/metrics$|^\/auth\/oauth2\/(authorize|callback|discovery)|^\/api\/v1\/(docs|redoc|openapi|temporal)/;

/** What changes the form of a reply: not modified, and lines that are followed (`Client.follow_log`). */
const withoutArgument = new Set(['If-None-Match', 'follow']);

/** The text of both files, by name. */
function renderPythonClient(document) {
  const models = renderModels(document.components.schemas);
  return { 'models.py': models, 'operations.py': renderOperations(document) };
}

function renderModels(schemas) {
  const written = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (isRecord(schema)) writeRecord(name, schema, written);
    else written.push(`${name}: TypeAlias = ${quoted(getType(schema, name, written))}`);
  }
  return `${heading}"""The bodies of requests and replies. Members of \`NotRequired\` may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

${written.join('\n\n\n')}
`;
}

function isRecord(schema) {
  return schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
}

/** Adds the class of an object, after the classes of objects within it. */
function writeRecord(name, schema, written) {
  const members = Object.entries(schema.properties).map(([member, value]) => {
    const type = getType(value, `${name}${camel(member)}`, written);
    const isRequired = (schema.required ?? []).includes(member);
    return [member, isRequired ? type : `NotRequired[${type}]`, value.description];
  });
  const isPlain = members.every(([member]) => /^[A-Za-z_]\w*$/.test(member) && !keywords.has(member));
  if (!isPlain) {
    const lines = members.map(([member, type]) => `        ${quoted(member)}: ${quoted(type)},\n`);
    written.push(`${name} = TypedDict(\n    ${quoted(name)},\n    {\n${lines.join('')}    },\n)`);
    return;
  }
  const lines = members.map(
    ([member, type, text]) => `    ${member}: ${type}\n${text ? `    ${docstring(text, 4)}\n` : ''}`,
  );
  written.push(
    `class ${name}(TypedDict):\n${schema.description ? `    ${docstring(schema.description, 4)}\n\n` : ''}${lines.join('')}`.trimEnd(),
  );
}

/** The Python type of a schema; `name` is what a class for it would be called. */
function getType(schema, name, written) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const types = choices.map((choice, position) =>
      getType(choice, `${name}${choices.length > 1 ? position + 1 : ''}`, written),
    );
    const distinct = [...new Set(types)];
    return distinct.length === 1 ? distinct[0] : `Union[${distinct.join(', ')}]`;
  }
  if (Array.isArray(schema.type))
    return getType({ anyOf: schema.type.map((type) => ({ ...schema, type })) }, name, written);
  if (schema.type === 'array') return `List[${schema.items ? getType(schema.items, name, written) : 'Any'}]`;
  if (schema.type === 'object') {
    if (isRecord(schema)) {
      writeRecord(name, schema, written);
      return name;
    }
    const value = schema.additionalProperties;
    return `Dict[str, ${value && typeof value === 'object' ? getType(value, name, written) : 'Any'}]`;
  }
  return { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[schema.type] ?? 'Any';
}

function renderOperations(document) {
  const methods = Object.entries(document.paths)
    .filter(([address]) => !notForPrograms.test(address))
    .flatMap(([address, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation.operationId)
        .map(([method, operation]) => renderMethod(method.toUpperCase(), address, operation)),
    );
  return `${heading}# mypy: disable-error-code="no-any-return"
"""A method for every route that programs call."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from . import models
from .http import Http


class Operations:
    """The routes of the API, one method each. \`body\` is the JSON body; arguments that are None are not sent."""

    def __init__(self, http: Http) -> None:
        self._http = http

${methods.join('\n')}`;
}

function renderMethod(method, address, operation) {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const others = parameters.filter(({ in: place, name }) => place !== 'path' && !withoutArgument.has(name));
  const content = requestBody?.content ?? {};
  const json = content['application/json'];
  const isRaw = 'application/octet-stream' in content;
  const typeIn = (schema) => qualified(getType(schema, '', []));
  const arguments_ = [
    'self',
    ...inPath.map(({ name, schema }) => `${identifier(name)}: ${typeIn(schema)}`),
    ...(json ? [`body: ${bodyType(json.schema)}${requestBody.required === false ? ' = None' : ''}`] : []),
    ...(isRaw ? ['content: bytes'] : []),
    ...(others.length > 0 ? ['*'] : []),
    ...others.map(({ name, schema, required }) => {
      const type = typeIn(schema);
      return required ? `${identifier(name)}: ${type}` : `${identifier(name)}: Optional[${type}] = None`;
    }),
  ];
  const { reader, type } = getReply(operation);
  const members = (place) =>
    others
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => `${quoted(name)}: ${identifier(name)}`)
      .join(', ');
  const url =
    inPath.length > 0
      ? `f${quoted(address.replaceAll(/\{(\w+)\}/g, (_, name) => `{self._http.part(${identifier(name)})}`))}`
      : quoted(address);
  const given = [
    quoted(method),
    url,
    ...(members('query') ? [`query={${members('query')}}`] : []),
    ...(members('header') ? [`headers={${members('header')}}`] : []),
    ...(json ? ['body=body'] : []),
    ...(isRaw ? ['content=content'] : []),
  ];
  return `${call(`    def ${snake(operationId)}`, arguments_, ` -> ${type}:`)}
        ${docstring(summary, 8)}
${call(`        return self._http.${reader}`, given, '')}
`;
}

/** A list of arguments on one line of at most 100 characters, else on a line each. */
function call(before, given, after) {
  const line = `${before}(${given.join(', ')})${after}`;
  if (line.length <= 100) return line;
  const indent = ' '.repeat(before.search(/\S/) + 4);
  return `${before}(\n${given.map((one) => `${indent}${one},\n`).join('')}${indent.slice(4)})${after}`;
}

/** How a reply is read, and its type: JSON, nothing, a text, an event stream, or bytes. */
function getReply({ responses }) {
  const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const contents = success.map(([, { content }]) => content).filter(Boolean);
  const media = contents.flatMap((content) => Object.keys(content));
  if (media.length === 0) return { reader: 'nothing', type: 'None' };
  if (media.includes('text/event-stream')) return { reader: 'events', type: 'Iterator[Any]' };
  const isJson = media.every((one) => one === 'application/json' || one === 'application/x-ndjson');
  if (isJson) {
    const types = contents.map((content) => qualified(getType(content['application/json'].schema, '', [])));
    const isEmptyToo = success.some(([, { content }]) => !content);
    return { reader: 'json', type: union([...types, ...(isEmptyToo ? ['None'] : [])]) };
  }
  if (media.length === 1 && /^text\//.test(media[0])) return { reader: 'text', type: 'str' };
  return { reader: 'binary', type: 'bytes' };
}

function bodyType(schema) {
  return schema.$ref || schema.anyOf || schema.oneOf ? qualified(getType(schema, '', [])) : 'Dict[str, Any]';
}

/** Names of models as they are seen from another module. */
function qualified(type) {
  return type.replaceAll(/"[^"]*"|\b[A-Za-z_]\w*\b/g, (word) =>
    word.startsWith('"') ||
    /^(Any|Dict|List|Literal|Union|Optional|None|str|int|float|bool|bytes|True|False)$/.test(word)
      ? word
      : `models.${word}`,
  );
}

function union(types) {
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? distinct[0] : `Union[${distinct.join(', ')}]`;
}

function identifier(name) {
  const text = name.replaceAll('-', '_').toLowerCase();
  return keywords.has(text) ? `${text}_` : text;
}

function snake(name) {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

function camel(name) {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());
}

function literal(value) {
  if (typeof value === 'string') return quoted(value);
  if (value === null) return 'None';
  return value === true ? 'True' : value === false ? 'False' : String(value);
}

function quoted(text) {
  return JSON.stringify(text);
}

/** A docstring in lines of at most 100 characters. */
function docstring(text, indent) {
  const words = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split(/\s+/);
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1);
    if (line.length > 0 && indent + line.length + word.length > 96) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  const last = lines.at(-1);
  const end = last.endsWith('"') ? ' """' : '"""';
  return lines.length === 1
    ? `"""${last}${end}`
    : `"""${lines.join(`\n${' '.repeat(indent)}`)}\n${' '.repeat(indent)}"""`;
}

/** Writes both files from the built product. */
function writePythonClient() {
  const built = (file) => require(path.join(__dirname, '..', 'dist', file));
  const { buildPipelineDocument } = built('api/http/openapi.js');
  const { routes } = built('api/routes.js');
  const { operators } = built('operators/index.js');
  const { version } = require('../package.json');
  const document = JSON.parse(JSON.stringify(buildPipelineDocument(routes, version, operators)));
  for (const [name, text] of Object.entries(renderPythonClient(document))) writeFileSync(path.join(folder, name), text);
}

module.exports = { renderPythonClient, writePythonClient };
