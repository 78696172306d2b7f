import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ApiError } from './api';
import { lazyScreen } from './parts/lazy-screen';
import { Loading, Page } from './parts/page';
import { ScreenGuard } from './parts/screen-guard';
import { Shell } from './parts/shell';
import { Link, usePlace } from './router';
import { LoginScreen } from './screens/login';
import { SessionGate } from './session';
import { texts } from './texts';

const HomeScreen = lazyScreen(() => import('./screens/home').then((part) => part.HomeScreen));
const RunsScreen = lazyScreen(() => import('./screens/runs').then((part) => part.RunsScreen));
const RunScreen = lazyScreen(() => import('./run/screen').then((part) => part.RunScreen));
const FailedScreen = lazyScreen(() => import('./failed/list').then((part) => part.FailedScreen));
const FailedOneScreen = lazyScreen(() => import('./failed/screen').then((part) => part.FailedOneScreen));
const DocumentScreen = lazyScreen(() => import('./document/screen').then((part) => part.DocumentScreen));
const ReviewScreen = lazyScreen(() => import('./review/list').then((part) => part.ReviewScreen));
const ReviewOneScreen = lazyScreen(() => import('./review/screen').then((part) => part.ReviewOneScreen));
const SearchScreen = lazyScreen(() => import('./screens/search').then((part) => part.SearchScreen));
const QualityScreen = lazyScreen(() => import('./search/quality').then((part) => part.QualityScreen));
const AddScreen = lazyScreen(() => import('./screens/add').then((part) => part.AddScreen));
const SetScreen = lazyScreen(() => import('./screens/set').then((part) => part.SetScreen));
const FlowsScreen = lazyScreen(() => import('./screens/flows').then((part) => part.FlowsScreen));
const FlowScreen = lazyScreen(() => import('./flow/screen').then((part) => part.FlowScreen));
const ProjectsScreen = lazyScreen(() => import('./projects/list').then((part) => part.ProjectsScreen));
const ProjectScreen = lazyScreen(() => import('./projects/screen').then((part) => part.ProjectScreen));
const LibraryScreen = lazyScreen(() => import('./data/library').then((part) => part.LibraryScreen));
const DataScreen = lazyScreen(() => import('./data/screen').then((part) => part.DataScreen));
const GraphsScreen = lazyScreen(() => import('./knowledge/list').then((part) => part.GraphsScreen));
const GraphScreen = lazyScreen(() => import('./knowledge/screen').then((part) => part.GraphScreen));
const NewGraphScreen = lazyScreen(() => import('./knowledge/new').then((part) => part.NewGraphScreen));
const SetGraphScreen = lazyScreen(() => import('./knowledge/of-set').then((part) => part.SetGraphScreen));
const SettingsScreen = lazyScreen(() => import('./settings/screen').then((part) => part.SettingsScreen));
const AdminScreen = lazyScreen(() => import('./admin/screen').then((part) => part.AdminScreen));
const ConvertScreen = lazyScreen(() => import('./convert/screen').then((part) => part.ConvertScreen));

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
      // A server on this machine, or in a network of its own, answers without the internet.
      networkMode: 'always',
      staleTime: 1_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && isAnswered(error.status)),
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * True if asking again at once would get the same answer: the server rejected the request (4xx), or has already waited for
 * a server that it depends on (503, 504) and says which one.
 */
function isAnswered(status: number): boolean {
  return (status >= 400 && status < 500) || status === 503 || status === 504;
}

/** The console: session, frame, and the screen for the current address. */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <SessionGate
          login={(state) => <LoginScreen {...state} />}
          waiting={
            <div className="gate">
              <Loading />
            </div>
          }
        >
          <Shell>
            <GuardedScreen />
          </Shell>
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function GuardedScreen() {
  const { path } = usePlace();
  return (
    <ScreenGuard path={path}>
      <Screen path={path} />
    </ScreenGuard>
  );
}

function Screen({ path }: { path: string }) {
  const [, section = '', id = '', part = ''] = path.split('/').map(decodeSegment);
  switch (section) {
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
      return id === '' ? <FailedScreen /> : <FailedOneScreen key={id} failedId={id} />;
    case 'review':
      return id === '' ? <ReviewScreen /> : <ReviewOneScreen key={id} reviewId={id} />;
    case 'documents':
      return <DocumentScreen key={id} documentId={id} />;
    case 'search':
      return id === 'quality' ? <QualityScreen /> : <SearchScreen />;
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
