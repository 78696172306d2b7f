/** The outputs that the console asks for, and the members of the result that hold them. */
export const formats = [
  { name: 'md', member: 'md_content', label: 'Markdown' },
  { name: 'html', member: 'html_content', label: 'HTML' },
  { name: 'text', member: 'text_content', label: 'Text' },
  { name: 'json', member: 'json_content', label: 'JSON' },
  { name: 'doctags', member: 'doctags_content', label: 'DocTags' },
] as const;

/** The values of `to_formats`. */
export const formatNames = formats.map(({ name }) => name);

/** The same conversion as a command, and as a program in two languages. The token comes from the environment. */
export function programs(file: string, withOcr: boolean, origin = location.origin): [language: string, text: string][] {
  return [
    ['curl', getCurl(file, withOcr, origin)],
    ['TypeScript', getTypeScript(file, withOcr, origin)],
    ['Python', getPython(file, withOcr, origin)],
  ];
}

function getCurl(file: string, withOcr: boolean, origin: string): string {
  const fields = [...formatNames.map((name) => `-F to_formats=${name}`), `-F do_ocr=${withOcr}`].join(' ');
  // In a form field of curl, quotes and backslashes in a name end or change it.
  const named = `files=@"${file.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return `curl ${origin}/v1/convert/file -H "Authorization: Bearer $TOKEN" -F '${named.replaceAll("'", "'\\''")}' ${fields}`;
}

function getTypeScript(file: string, withOcr: boolean, origin: string): string {
  return `import { readFile } from 'node:fs/promises';
import { createConversionClient } from 'docloom/client';

const file = ${JSON.stringify(file)};
const client = createConversionClient({ baseUrl: ${JSON.stringify(origin)}, token: process.env['TOKEN'] });
const { document } = await client.convert({
  files: [{ name: file, content: await readFile(file) }],
  options: { to_formats: ${JSON.stringify(formatNames)}, do_ocr: ${withOcr} },
});
console.log(document.md_content);
`;
}

/** The standard library alone: the file is sent in the body. JSON is a literal of Python here, except for its booleans. */
function getPython(file: string, withOcr: boolean, origin: string): string {
  return `import base64, json, os, urllib.request

file = ${JSON.stringify(file)}
with open(file, "rb") as content:
    data = base64.b64encode(content.read()).decode()
body = {
    "sources": [{"kind": "file", "filename": os.path.basename(file), "base64_string": data}],
    "options": {"to_formats": ${JSON.stringify(formatNames)}, "do_ocr": ${withOcr ? 'True' : 'False'}},
}
request = urllib.request.Request(
    ${JSON.stringify(`${origin}/v1/convert/source`)},
    json.dumps(body).encode(),
    {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["TOKEN"]},
)
with urllib.request.urlopen(request) as reply:
    print(json.load(reply)["document"]["md_content"])
`;
}
