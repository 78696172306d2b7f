import { Tabs } from '@mantine/core';
import type { ConversionOutcome } from '../../client';
import { CopyButton } from '../parts/copy-button';
import { Empty, Failure, Panel } from '../parts/page';
import { texts } from '../texts';
import { readPageImages, shortenDataUris, omitPageImages } from './page-images';
import { PageView } from './page-view';
import { formats } from './programs';

/** The outputs of one document as text, or why there are none. */
export function Outputs({ outcome }: { outcome: ConversionOutcome }) {
  if (outcome.type === 'archive') return <Empty>{texts.convert.archive}</Empty>;
  const { document, errors = [] } = outcome.value as {
    document?: Record<string, unknown>;
    errors?: { error_message: string }[];
  };
  const [first] = formats;
  const images = readPageImages(document?.['json_content']);
  return (
    <>
      {errors.map(({ error_message: message }) => (
        <Failure key={message} error={message} title={texts.convert.failed} isAction />
      ))}
      {document && formats.some(({ member }) => asText(document[member]) !== '') ? (
        <Panel title={texts.convert.outputs}>
          <div className={images.length > 0 ? 'columns' : undefined}>
            {images.length > 0 ? <PageView images={images} /> : null}
            <Tabs defaultValue={first.name} keepMounted={false}>
              <Tabs.List>
                {formats.map(({ name, label }) => (
                  <Tabs.Tab key={name} value={name}>
                    {label}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {formats.map(({ name, member, label }) => (
                <Tabs.Panel key={name} value={name} pt={12}>
                  <p className="actions">
                    <CopyButton text={asText(document[member])} label={texts.common.copy} />
                  </p>
                  <pre className="text whole" tabIndex={0} aria-label={label}>
                    {shortenDataUris(asText(document[member]))}
                  </pre>
                </Tabs.Panel>
              ))}
            </Tabs>
          </div>
        </Panel>
      ) : null}
    </>
  );
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(omitPageImages(value), null, 2);
}
