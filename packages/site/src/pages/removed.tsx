/** The page of a bot that the operator removed. */
import { Layout } from '../parts/layout.tsx';
import { date } from '../parts/words.ts';
import type { Frame, RemovedView } from '../views.ts';

/** The tombstone. */
export const RemovedPage = ({ frame, view: { slug, reason, removedAt } }: { frame: Frame; view: RemovedView }) => (
  <Layout frame={frame} title="This bot was removed" path={undefined}>
    <div class="text">
      <p class="status-code">410</p>
      <h1>This bot was removed</h1>
      <p class="lede">
        {removedAt === undefined ? 'The operator removed it' : `The operator removed it on ${date(removedAt)}`}
        {reason === '' ? '.' : ': '}
        {reason !== '' && <bdi>{reason}</bdi>}
      </p>
      <p class="fine">
        Its address was <code>/bots/{slug}</code>. The address won’t be reused.
      </p>
      <p>
        <a class="button" href="/">
          Find another bot
        </a>
      </p>
    </div>
  </Layout>
);
