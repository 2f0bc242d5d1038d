/** The side panel of a bot: the install button and facts. */
import { to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Outside } from '../parts/outside.tsx';
import { When } from '../parts/when.tsx';
import { isSamePost, number, postName } from '../parts/words.ts';
import type { BotView, Frame } from '../views.ts';

const found = { found: 'Checked', missing: 'Not found,', unavailable: 'No response,' } as const;

/** On phones it follows the description, elsewhere it is at the side. */
export const Panel = ({ frame, view }: { frame: Frame; view: BotView }) => {
  const { bot, posts, template } = view;
  const { source_url: announcement } = bot;
  return (
    <aside class="panel" aria-label="Install and facts">
      <form method="post" action={to.install(bot.slug)}>
        <button class="button button-big" type="submit">
          <Icon name="download" />
          Install
        </button>
      </form>
      <dl class="facts">
        {bot.install_count > 0 && (
          <div>
            <dt>Installs</dt>
            <dd>
              {number(bot.install_count)} · <a href="/about#counting">How we count</a>
            </dd>
          </div>
        )}
        <div>
          <dt>Template</dt>
          <dd>
            {found[template.found]} <When at={template.checkedOn} />
          </dd>
        </div>
        {announcement !== null && !posts.some(({ url }) => isSamePost(announcement, url)) && (
          <div>
            <dt>Announced</dt>
            <dd>
              <Outside url={announcement}>
                <bdi>{postName(announcement)}</bdi> on {frame.socialHost}
              </Outside>
            </dd>
          </div>
        )}
      </dl>
    </aside>
  );
};
