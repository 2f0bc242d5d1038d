/** The side panel of a bot: the install button, facts, and the way to report it. */
import { to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Outside } from '../parts/outside.tsx';
import { date, number, postName } from '../parts/words.ts';
import type { BotView, Frame } from '../views.ts';
import { Report } from './bot-forms.tsx';

const found = { found: 'Checked', missing: 'Not there on', unavailable: 'Did not respond on' } as const;

/** On phones it follows the description, elsewhere it is at the side. */
export const Panel = ({ frame, view: { bot, template, forms } }: { frame: Frame; view: BotView }) => (
  <aside class="panel" aria-label="Install and facts">
    <form method="post" action={to.install(bot.slug)}>
      <button class="button button-big" type="submit">
        <Icon name="download" />
        Install
      </button>
    </form>
    <p class="fine">Opens the template at {frame.templateHost}.</p>
    <dl class="facts">
      <div>
        <dt>Installs</dt>
        <dd>
          {number(bot.install_count)}
          <a class="facts-note" href="/about#counting">
            How we count
          </a>
        </dd>
      </div>
      <div>
        <dt>Added</dt>
        <dd>
          <time dateTime={bot.created_at}>{date(bot.created_at)}</time>
        </dd>
      </div>
      {template !== undefined && (
        <div>
          <dt>Template</dt>
          <dd>
            {found[template.found]} <time dateTime={template.checkedOn}>{date(template.checkedOn)}</time>
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
      <div>
        <dt>Slug</dt>
        <dd class="mono">{bot.slug}</dd>
      </div>
    </dl>
    <p class="fine">
      <a href="/corrections">Correct or remove this listing</a>
    </p>
    {forms !== undefined && <Report slug={bot.slug} forms={forms} />}
  </aside>
);
