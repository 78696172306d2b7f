import { Tabs } from '@mantine/core';
import type { ConversionOutcome } from '../../client';
import { CopyButton } from '../parts/copy-button';
import { Empty, Failure, Panel } from '../parts/page';
import { texts } from '../texts';
import { formats } from './programs';

/** The outputs of one document as text, or why there are none. */
export function Outputs({ outcome }: { outcome: ConversionOutcome }) {
  if (outcome.type === 'archive') return <Empty>{texts.convert.archive}</Empty>;
  const { document, errors = [] } = outcome.value as {
    document?: Record<string, unknown>;
    errors?: { error_message: string }[];
  };
  const [first] = formats;
  return (
    <>
      {errors.map(({ error_message: message }) => (
        <Failure key={message} error={message} title={texts.convert.failed} isAction />
      ))}
      {document ? (
        <Panel title={texts.convert.outputs}>
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
                  {asText(document[member])}
                </pre>
              </Tabs.Panel>
            ))}
          </Tabs>
        </Panel>
      ) : null}
    </>
  );
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
