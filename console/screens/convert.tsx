import { Button, Checkbox, Tabs } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createConversionClient } from '../../client/conversion';
import { sendWithSession } from '../api';
import { DropFiles } from '../parts/drop-files';
import { Failure, Page, Panel } from '../parts/page';
import { texts } from '../texts';

const formats = [
  { name: 'md', member: 'md_content', label: 'Markdown' },
  { name: 'html', member: 'html_content', label: 'HTML' },
  { name: 'text', member: 'text_content', label: 'Text' },
  { name: 'json', member: 'json_content', label: 'JSON' },
  { name: 'doctags', member: 'doctags_content', label: 'DocTags' },
] as const;

/** Converts a file to five outputs without indexing anything. */
export function ConvertScreen() {
  const [file, setFile] = useState<File>();
  const [withOcr, setOcr] = useState(false);
  const convert = useMutation({
    mutationFn: async (given: File) => {
      const client = createConversionClient({ baseUrl: location.origin, fetch: sendWithSession });
      return client.convert({
        files: [{ name: given.name, content: given }],
        options: { to_formats: formats.map(({ name }) => name), do_ocr: withOcr },
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file) convert.mutate(file);
  };
  const outcome = convert.data as { document?: Record<string, unknown> } | undefined;
  return (
    <Page title={texts.convert.title}>
      <p className="muted">{texts.convert.help}</p>
      <form onSubmit={submit}>
        <DropFiles isSingle words={texts.convert} onFiles={([given]) => setFile(given)} />
        <p role="status">{file ? texts.convert.chosen(file.name) : null}</p>
        <Panel title={texts.convert.options}>
          <div className="actions">
            <Checkbox
              label={texts.convert.ocr}
              checked={withOcr}
              onChange={(event) => setOcr(event.currentTarget.checked)}
            />
            <Button type="submit" disabled={!file} loading={convert.isPending}>
              {texts.convert.run}
            </Button>
            <CopyCurl name={file?.name ?? 'document.pdf'} withOcr={withOcr} />
          </div>
        </Panel>
      </form>
      {convert.isPending ? <p role="status">{texts.convert.working}</p> : null}
      {convert.isError ? <Failure error={convert.error} /> : null}
      {outcome?.document ? <Outputs document={outcome.document} /> : null}
    </Page>
  );
}

function Outputs({ document }: { document: Record<string, unknown> }) {
  return (
    <Panel title={texts.convert.outputs}>
      <Tabs defaultValue="md" keepMounted={false}>
        <Tabs.List>
          {formats.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {formats.map(({ name, member, label }) => (
          <Tabs.Panel key={name} value={name} pt={12}>
            <pre className="text" tabIndex={0} aria-label={label}>
              {asText(document[member])}
            </pre>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

function CopyCurl({ name, withOcr }: { name: string; withOcr: boolean }) {
  const [isCopied, setCopied] = useState(false);
  const fields = [...formats.map((format) => `-F to_formats=${format.name}`), `-F do_ocr=${withOcr}`].join(' ');
  const command = `curl ${location.origin}/v1/convert/file -H "authorization: Bearer $TOKEN" -F 'files=@${name.replaceAll("'", "'\\''")}' ${fields}`;
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <Button variant="default" onClick={copy}>
      {isCopied ? texts.common.copied : texts.convert.curl}
    </Button>
  );
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
