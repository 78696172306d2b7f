import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { texts } from '../texts';
import { Page } from './page';

/**
 * Shows a message in place of a screen that cannot be shown, instead of an empty window. The usual reason is code that can no
 * longer be loaded, because the server was updated or is gone; a reload then gets the current one.
 */
export class ScreenGuard extends Component<{ path: string; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidUpdate({ path }: { path: string }): void {
    if (this.state.isBroken && path !== this.props.path) this.setState({ isBroken: false });
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <Page title={texts.common.broken}>
        <p>{texts.common.brokenHelp}</p>
        <Button variant="default" onClick={() => location.reload()}>
          {texts.common.reload}
        </Button>
      </Page>
    );
  }
}
