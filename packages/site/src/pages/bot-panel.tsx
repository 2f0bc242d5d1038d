/** The side panel of a bot: the install button and facts. */
import { Fragment } from 'preact';
import { to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Outside } from '../parts/outside.tsx';
import { When } from '../parts/when.tsx';
import { number, postName } from '../parts/words.ts';
import type { BotView, Frame } from '../views.ts';

const found = { found: 'Checked', missing: 'Not found,', unavailable: 'No response,' } as const;

/** On phones it follows the description, elsewhere it is at the side. */
export const Panel = ({ frame, view: { bot, template } }: { frame: Frame; view: BotView }) => (
  <aside class="panel" aria-label="Install and facts">
    <form method="post" action={to.install(bot.slug)}>
      <button class="button button-big" type="submit">
        <Icon name="download" />
        Install
      </button>
    </form>
    <p class="fine">Opens the template at {frame.templateHost}.</p>
    <dl class="facts">
      {bot.install_count > 0 && (
        <div>
          <dt>Installs</dt>
          <dd>
            {number(bot.install_count)}
            <a class="facts-note" href="/about#counting">
              How we count
            </a>
          </dd>
        </div>
      )}
      <div>
        <dt>Added</dt>
        <dd>
          <When at={bot.created_at} />
        </dd>
      </div>
      <Categories of={bot.categories} />
      {template !== undefined && (
        <div>
          <dt>Template</dt>
          <dd>
            {found[template.found]} <When at={template.checkedOn} />
          </dd>
        </div>
      )}
      {bot.source_url !== null && (
        <div>
          <dt>Announced</dt>
          <dd>
            <Outside url={bot.source_url}>
              <bdi>{postName(bot.source_url)}</bdi> on {frame.socialHost}
            </Outside>
          </dd>
        </div>
      )}
    </dl>
  </aside>
);

const Categories = ({ of }: { of: readonly string[] }) =>
  of.length > 0 && (
    <div>
      <dt>Categories</dt>
      <dd>
        {of.map((name, i) => (
          <Fragment key={name}>
            {i > 0 && ', '}
            <a href={to.directory({ categories: [name] })}>{name}</a>
          </Fragment>
        ))}
      </dd>
    </div>
  );
