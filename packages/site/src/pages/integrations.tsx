/** Every integration in use, A–Z. */
import type { IntegrationCount } from '@bot-directory/contract';
import { to } from '../parts/href.ts';
import { Integration, Marked, Sprite } from '../parts/integration.tsx';
import { Layout } from '../parts/layout.tsx';
import { count, number } from '../parts/words.ts';
import type { Frame, IntegrationsView } from '../views.ts';

/** This page is about integrations, so it has the marks of about a hundred, the most used. */
const roomForAll = 40_000;

/** The page. */
export const IntegrationsPage = ({ frame, view }: { frame: Frame; view: IntegrationsView }) => {
  const groups = grouped(frame, view);
  return (
    <Layout
      frame={frame}
      title="Integrations"
      description="Everything that the bots in this directory work with."
      path="/integrations"
      section="directory"
    >
      <div class="text">
        <h1>Integrations</h1>
        <p class="lede">
          {view.integrations.length === 0
            ? 'No bot lists its integrations yet.'
            : `${count(view.integrations.length, 'integration')} that bots here work with.`}
        </p>
      </div>
      <Marked of={view.integrations.map(({ slug }) => slug)} room={roomForAll}>
        <Sprite />
        {groups.map(([letter, integrations]) => (
          <section key={letter} class="letter">
            <h2>{letter}</h2>
            <ul class="facet">
              {integrations.map(({ slug, count: bots }) => (
                <li key={slug}>
                  <a href={to.directory({ integrations: [slug] })}>
                    <span>
                      <Integration slug={slug} />
                    </span>
                    <span class="facet-count">
                      {number(bots)}
                      <span class="hidden"> {bots === 1 ? 'bot' : 'bots'}</span>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </Marked>
    </Layout>
  );
};

type Named = IntegrationCount & { readonly name: string };

const byName = new Intl.Collator('en');

const grouped = ({ integrationName }: Frame, { integrations }: IntegrationsView): [string, Named[]][] => {
  const groups = new Map<string, Named[]>();
  const named = integrations.map((one) => ({ ...one, name: integrationName(one.slug) }));
  for (const integration of named.sort((a, b) => byName.compare(a.name, b.name))) {
    const first = integration.name.charAt(0).toUpperCase();
    const letter = /[A-Z]/.test(first) ? first : '0–9';
    groups.set(letter, [...(groups.get(letter) ?? []), integration]);
  }
  return [...groups];
};
