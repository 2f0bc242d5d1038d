/** The guide for subscribers: docs/SUBSCRIBING.md, with this directory's address. */
import { Layout } from '../parts/layout.tsx';
import { Snippet } from '../parts/snippet.tsx';
import type { Frame, SubscribingView } from '../views.ts';

/** The page. */
export const SubscribingPage = ({ frame, view }: { frame: Frame; view: SubscribingView }) => {
  const here = (text: string): string => text.replaceAll('https://directory.example.com', frame.baseUrl);
  return (
    <Layout
      frame={frame}
      title="Subscribing"
      description={`How to run, test and move a service that receives the webhooks of ${frame.name}.`}
      path="/docs/subscribing"
      section="webhooks"
    >
      <div class="text">
        {view.guide.map((part, i) =>
          'code' in part ? (
            <Snippet key={i} label={part.label} code={here(part.code)} />
          ) : (
            <section key={i} dangerouslySetInnerHTML={{ __html: here(part.html) }} />
          ),
        )}
      </div>
    </Layout>
  );
};
