import type { ChosenOptions } from './choice';

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

/**
 * The same conversion as a command, and as a program in two languages. The token, and the password of the document, come from the
 * environment.
 */
export function writePrograms(
  file: string,
  options: ChosenOptions,
  origin = location.origin,
): [language: string, text: string][] {
  return [
    ['curl', formatCurl(file, options, origin)],
    ['TypeScript', formatTypeScript(file, options, origin)],
    ['Python', formatPython(file, options, origin)],
  ];
}

function formatCurl(file: string, { password, ...options }: ChosenOptions, origin: string): string {
  const values = Object.entries({ to_formats: formatNames, ...options });
  const fields = [
    // Languages are typed by hand, so they are quoted.
    ...values.flatMap(([name, value]) => [value].flat().map((item) => `-F ${quote(`${name}=${item}`)}`)),
    ...(password === undefined ? [] : ['-F "password=$PASSWORD"']),
  ].join(' ');
  // In a form field of curl, quotes and backslashes would end or change the file name.
  const fileField = `files=@"${file.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return `curl ${origin}/v1/convert/file -H "Authorization: Bearer $TOKEN" -F ${quote(fileField)} ${fields}`;
}

/** Quotes a word for a shell; plain words stay as they are. */
function quote(text: string): string {
  return /^[\w=.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function formatTypeScript(file: string, { password, ...options }: ChosenOptions, origin: string): string {
  const secret = password === undefined ? '' : ", password: process.env['PASSWORD']";
  return `import { readFile } from 'node:fs/promises';
import { createConversionClient } from 'docloom/client';

const file = ${JSON.stringify(file)};
const client = createConversionClient({ baseUrl: ${JSON.stringify(origin)}, token: process.env['TOKEN'] });
const { document } = await client.convert({
  files: [{ name: file, content: await readFile(file) }],
  options: { ${formatMembers(options)}${secret} },
});
console.log(document.md_content);
`;
}

/** `"to_formats": […], "do_ocr": true` and so on. */
function formatMembers(options: Omit<ChosenOptions, 'password'>): string {
  return Object.entries({ to_formats: formatNames, ...options })
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ');
}

/**
 * Uses only the standard library: the file is sent in the body. JSON is a literal of Python here, except for its
 * booleans.
 */
function formatPython(file: string, { password, do_ocr: withOcr, ...options }: ChosenOptions, origin: string): string {
  const members = formatMembers({ ...options, do_ocr: withOcr }).replace(
    /"do_ocr": (true|false)/,
    (_, value: string) => {
      return `"do_ocr": ${value === 'true' ? 'True' : 'False'}`;
    },
  );
  const secret = password === undefined ? '' : ', "password": os.environ["PASSWORD"]';
  return `import base64, json, os, urllib.request

file = ${JSON.stringify(file)}
with open(file, "rb") as content:
    data = base64.b64encode(content.read()).decode()
body = {
    "sources": [{"kind": "file", "filename": os.path.basename(file), "base64_string": data}],
    "options": {${members}${secret}},
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
