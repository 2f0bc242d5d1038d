/** View → the document's text. */
import { renderToString } from 'preact-render-to-string';
import { AboutPage } from './pages/about.tsx';
import { AuthorsPage } from './pages/authors.tsx';
import { BotPage } from './pages/bot.tsx';
import { CategoriesPage } from './pages/categories.tsx';
import { CorrectionsPage } from './pages/corrections.tsx';
import { DirectoryPage } from './pages/directory.tsx';
import { DocsPage } from './pages/docs.tsx';
import { FailurePage } from './pages/failure.tsx';
import { IntegrationsPage } from './pages/integrations.tsx';
import { ProblemPage } from './pages/problem.tsx';
import { RemovedPage } from './pages/removed.tsx';
import { ShowcasePage } from './pages/showcase.tsx';
import { SubmitPage } from './pages/submit.tsx';
import { SubscribingPage } from './pages/subscribing.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import type { page as declared } from './types.ts';
import type { Frame, View } from './views.ts';

export const page: typeof declared = (frame, view) => `<!doctype html>${renderToString(pageOf(frame, view))}`;

const pageOf = (frame: Frame, view: View) => {
  switch (view.page) {
    case 'directory':
      return <DirectoryPage frame={frame} view={view} />;
    case 'bot':
      return <BotPage frame={frame} view={view} />;
    case 'removed':
      return <RemovedPage frame={frame} view={view} />;
    case 'submit':
      return <SubmitPage frame={frame} view={view} />;
    case 'showcase':
      return <ShowcasePage frame={frame} view={view} />;
    case 'webhooks':
      return <WebhooksPage frame={frame} view={view} />;
    case 'categories':
      return <CategoriesPage frame={frame} view={view} />;
    case 'integrations':
      return <IntegrationsPage frame={frame} view={view} />;
    case 'authors':
      return <AuthorsPage frame={frame} view={view} />;
    case 'docs':
      return <DocsPage frame={frame} view={view} />;
    case 'problem':
      return <ProblemPage frame={frame} view={view} />;
    case 'about':
      return <AboutPage frame={frame} />;
    case 'corrections':
      return <CorrectionsPage frame={frame} />;
    case 'subscribing':
      return <SubscribingPage frame={frame} view={view} />;
    case 'failure':
      return <FailurePage frame={frame} view={view} />;
  }
};
