import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ApiError } from './api';
import { Loading, Page } from './parts/page';
import { Shell } from './parts/shell';
import { Link, usePlace } from './router';
import { LoginScreen } from './screens/login';
import { SessionGate } from './session';
import { texts } from './texts';

const HomeScreen = lazy(() => import('./screens/home').then(({ HomeScreen: part }) => ({ default: part })));
const RunsScreen = lazy(() => import('./screens/runs').then(({ RunsScreen: part }) => ({ default: part })));
const RunScreen = lazy(() => import('./run/screen').then(({ RunScreen: part }) => ({ default: part })));
const FailedScreen = lazy(() => import('./screens/failed').then(({ FailedScreen: part }) => ({ default: part })));
const DocumentScreen = lazy(() => import('./document/screen').then(({ DocumentScreen: part }) => ({ default: part })));
const ReviewScreen = lazy(() => import('./review/list').then(({ ReviewScreen: part }) => ({ default: part })));
const ReviewOneScreen = lazy(() => import('./review/screen').then(({ ReviewOneScreen: part }) => ({ default: part })));
const SearchScreen = lazy(() => import('./screens/search').then(({ SearchScreen: part }) => ({ default: part })));
const AddScreen = lazy(() => import('./screens/add').then(({ AddScreen: part }) => ({ default: part })));
const SetScreen = lazy(() => import('./screens/set').then(({ SetScreen: part }) => ({ default: part })));
const FlowsScreen = lazy(() => import('./screens/flows').then(({ FlowsScreen: part }) => ({ default: part })));
const FlowScreen = lazy(() => import('./flow/screen').then(({ FlowScreen: part }) => ({ default: part })));
const ProjectsScreen = lazy(() => import('./projects/list').then(({ ProjectsScreen: part }) => ({ default: part })));
const ProjectScreen = lazy(() => import('./projects/screen').then(({ ProjectScreen: part }) => ({ default: part })));
const LibraryScreen = lazy(() => import('./data/library').then(({ LibraryScreen: part }) => ({ default: part })));
const DataScreen = lazy(() => import('./data/screen').then(({ DataScreen: part }) => ({ default: part })));
const GraphsScreen = lazy(() => import('./knowledge/list').then(({ GraphsScreen: part }) => ({ default: part })));
const GraphScreen = lazy(() => import('./knowledge/screen').then(({ GraphScreen: part }) => ({ default: part })));
const NewGraphScreen = lazy(() => import('./knowledge/new').then(({ NewGraphScreen: part }) => ({ default: part })));
const SetGraphScreen = lazy(() => import('./knowledge/of-set').then(({ SetGraphScreen: part }) => ({ default: part })));
const SettingsScreen = lazy(() => import('./settings/screen').then(({ SettingsScreen: part }) => ({ default: part })));
const AdminScreen = lazy(() => import('./admin/screen').then(({ AdminScreen: part }) => ({ default: part })));
const ConvertScreen = lazy(() => import('./screens/convert').then(({ ConvertScreen: part }) => ({ default: part })));

// Shades with a contrast of 4.5 to 1 against white text.
const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 9, dark: 8 },
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  respectReducedMotion: true,
});

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      // A request rejected by the server would be rejected again.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

/** The console: session, frame, and the screen for the current address. */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <SessionGate login={(state) => <LoginScreen {...state} />} waiting={<Loading />}>
          <Shell>
            <Suspense fallback={<Loading />}>
              <Screen />
            </Suspense>
          </Shell>
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Screen() {
  const { path } = usePlace();
  const [, room = '', id = '', part = ''] = path.split('/').map(decodeSegment);
  switch (room) {
    case '':
    case 'login':
      return <HomeScreen />;
    case 'runs':
      return id === '' ? <RunsScreen /> : <RunScreen key={id} runId={id} />;
    case 'flows':
      return id === '' ? <FlowsScreen /> : <FlowScreen key={id} flowId={id} />;
    case 'projects':
      return id === '' ? <ProjectsScreen /> : <ProjectScreen key={id} projectId={id} />;
    case 'failed':
      return <FailedScreen />;
    case 'review':
      return id === '' ? <ReviewScreen /> : <ReviewOneScreen key={id} reviewId={id} />;
    case 'documents':
      return <DocumentScreen key={id} documentId={id} />;
    case 'search':
      return <SearchScreen />;
    case 'add':
      return <AddScreen />;
    case 'sets':
      return part === 'graph' ? <SetGraphScreen key={id} name={id} /> : <SetScreen key={id} name={id} />;
    case 'data':
      return <DataScreen tab={id} />;
    case 'libraries':
      return <LibraryScreen key={id} libraryId={id} />;
    case 'graphs':
      return <GraphPlace id={id} />;
    case 'settings':
      return <SettingsScreen tab={id} />;
    case 'admin':
      return <AdminScreen tab={id} />;
    case 'convert':
      return <ConvertScreen />;
    default:
      return (
        <Page title={texts.common.notFound}>
          <Link to="/">{texts.common.toHome}</Link>
        </Page>
      );
  }
}

function GraphPlace({ id }: { id: string }) {
  if (id === '') return <GraphsScreen />;
  return id === 'new' ? <NewGraphScreen /> : <GraphScreen key={id} graphId={id} />;
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
