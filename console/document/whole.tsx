import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { documentHtmlPath } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { CopyButton } from '../parts/copy-button';
import { Empty, Loading, Panel } from '../parts/page';
import { texts } from '../texts';
import { NotKept } from './pages';

type Form = 'markdown' | 'json' | 'html';

/** Longer texts make the window slow; the download contains the whole text. */
const maxCharacters = 300_000;

/** The whole document in one of its forms, as text. */
export function WholeText({ documentId, form }: { documentId: string; form: Form }) {
  const formText = useQuery({
    queryKey: ['document', documentId, 'form', form],
    queryFn: () => api.documents.start(documentId, form, maxCharacters),
    staleTime: 60_000,
    retry: false,
  });
  if (formText.isPending) return <Loading />;
  if (!formText.data) return <NotKept error={formText.error} />;
  const { text, isCut } = formText.data;
  const shownText = form === 'json' && !isCut ? indentJson(text) : text;
  return (
    <Panel title={texts.document.tabs[form]}>
      <p className="actions">
        <a className="action-link" href={buildAddress(documentId, form)} download={`document.${extensions[form]}`}>
          {texts.document.download[form]}
        </a>
        <CopyButton text={shownText} label={texts.document.copy} />
      </p>
      {isCut ? <Empty>{texts.document.start(formatCount(maxCharacters))}</Empty> : null}
      <pre className="text whole" tabIndex={0} aria-label={texts.document.tabs[form]}>
        {shownText}
      </pre>
    </Panel>
  );
}

const extensions: Readonly<Record<Form, string>> = { markdown: 'md', json: 'json', html: 'html' };

/** The whole document as HTML: in a frame that runs nothing, or as source text. */
export function WholeHtml({ documentId }: { documentId: string }) {
  const [isSource, setSource] = useState(false);
  // If there is no HTML, the reply to this request gives the reason, which the frame could not show.
  const firstCharacter = useQuery({
    queryKey: ['document', documentId, 'html', 'first'],
    queryFn: () => api.documents.start(documentId, 'html', 1),
    staleTime: 60_000,
    retry: false,
  });
  if (firstCharacter.isPending) return <Loading />;
  if (!firstCharacter.data) return <NotKept error={firstCharacter.error} />;
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={texts.document.view}
          value={isSource ? 'source' : 'rendered'}
          data={[
            { value: 'rendered', label: texts.document.rendered },
            { value: 'source', label: texts.document.source },
          ]}
          onChange={({ currentTarget: { value } }) => setSource(value === 'source')}
        />
      </div>
      {isSource ? (
        <WholeText documentId={documentId} form="html" />
      ) : (
        <Panel title={texts.document.tabs.html}>
          <p className="state-note">{texts.document.sandbox}</p>
          <iframe
            className="whole-html"
            sandbox=""
            title={texts.document.frame}
            src={documentHtmlPath(documentId)}
            referrerPolicy="no-referrer"
          />
        </Panel>
      )}
    </>
  );
}

function buildAddress(documentId: string, form: Form): string {
  return `/api/v1/documents/${encodeURIComponent(documentId)}/${form}`;
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
