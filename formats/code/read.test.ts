import { readFileSync } from 'node:fs';
import { toMarkdown } from '../../document';
import { convertBytes } from '../convert';
import { detectFormat } from '../detect';

const convert = (name: string, text: string) => convertBytes({ bytes: Buffer.from(text), name });

test('a program is one code item below its name, with comments and indentation', async () => {
  const { document, format } = await convert('src/area.py', '\n# Squares.\ndef area(side):\n    return side ** 2\n\n');
  expect(format).toBe('code');
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['title', 'area.py'],
    ['code', '# Squares.\ndef area(side):\n    return side ** 2'],
  ]);
  expect(document.texts[1]?.code_language).toBe('Python');
  expect(toMarkdown(document)).toContain('```\n# Squares.\ndef area(side):\n    return side ** 2\n```');
});

test.each([
  ['main.rs', 'Rust'],
  ['Main.java', 'Java'],
  ['view.tsx', 'TypeScript'],
  ['Dockerfile', 'Dockerfile'],
  ['CMakeLists.txt', 'CMake'],
  ['values.YML', 'YAML'],
  ['kernel.cu', 'Cuda'],
  ['Makefile', 'unknown'],
  ['pyproject.toml', 'unknown'],
])('%s is code in %s', async (name, language) => {
  const { document, format } = await convert(name, 'text: 1\n');
  expect(format).toBe('code');
  expect(document.texts[1]?.code_language).toBe(language);
});

test.each([
  ['#!/usr/bin/env python3\nprint(1)\n', 'Python'],
  ['#!/bin/sh\necho\n', 'Bash'],
  ['#!/usr/bin/env -S deno run\n1\n', 'TypeScript'],
  ['#!/opt/odd/tool\n1\n', 'unknown'],
])('a script without an extension is recognized by its first line', async (text, language) => {
  const { document } = await convert('bin/tool', text);
  expect(document.texts[1]?.code_language).toBe(language);
});

test('content that only looks like another text format does not change the format of a program', async () => {
  const { format } = await convert('page.php', '<!DOCTYPE html>\n<html><?php echo 1; ?></html>');
  expect(format).toBe('code');
});

test('a file of another type with the name of a program is read as that type or rejected', async () => {
  expect(detectFormat({ name: 'a.ts', head: Buffer.from('%PDF-1.7\n') })?.name).toBe('pdf');
  await expect(convertBytes({ bytes: Uint8Array.of(0x47, 0, 0x11, 0, 0, 1, 0x47), name: 'film.ts' })).rejects.toThrow(
    expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }),
  );
});

test('a file of this repository is read unchanged', async () => {
  const text = readFileSync(__filename, 'utf8');
  const { document } = await convert('read.test.ts', text);
  expect(document.texts[1]?.text).toBe(text.trim());
});
