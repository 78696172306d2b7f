import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts';

/** A secret that is shown only once, with a copy button. */
export function ShownOnce({ title, secret, onDone }: { title: string; secret: string; onDone: () => void }) {
  const [isCopied, setCopied] = useState(false);
  // Without HTTPS, pages have no access to the clipboard; the user can then select the text.
  const copy = () => {
    navigator.clipboard?.writeText(secret).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <Alert color="green" variant="outline" title={title} mb={16} role="status">
      <p>{texts.settings.once}</p>
      <p>
        <code className="secret" tabIndex={0}>
          {secret}
        </code>
      </p>
      <p className="actions">
        {'clipboard' in navigator ? (
          <Button size="xs" variant="default" onClick={copy}>
            {isCopied ? texts.common.copied : texts.common.copy}
          </Button>
        ) : null}
        <Button size="xs" variant="default" onClick={onDone}>
          {texts.settings.stored}
        </Button>
      </p>
    </Alert>
  );
}
