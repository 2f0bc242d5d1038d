/** How a listing is corrected or removed: by whom, and what happens then. */
import { limits } from '@bot-directory/contract/limits';
import { Layout } from '../parts/layout.tsx';
import { to } from '../parts/href.ts';
import { Snippet } from '../parts/snippet.tsx';
import { reasonText } from '../parts/words.ts';
import type { Frame } from '../views.ts';

/** The page. */
export const CorrectionsPage = ({ frame }: { frame: Frame }) => {
  const { contact } = frame;
  return (
    <Layout
      frame={frame}
      title="Correct or remove a listing"
      description={`How a bot in ${frame.name} is corrected or removed, by its author or by anyone else.`}
      path="/corrections"
    >
      <div class="text prose">
        <h1>Correct or remove a listing</h1>
        <p class="lede">There are no accounts here, so nobody can sign in to change a bot. This is what works.</p>
        <h2 id="text">Name, description or integrations</h2>
        <p>
          They come from the template at {frame.templateHost}. Change them there, then refresh the bot; anyone may, once
          in {limits.refreshSec / 60} minutes. Integrations that people added stay. The address of the page never
          changes.
        </p>
        <Snippet
          label="Refresh with curl"
          code={`curl -sS -X POST ${frame.baseUrl}/api/bots/<slug>/refresh -H 'Content-Type: application/json' -d '{}'`}
        />
        <h2 id="wrong">Anything else that is wrong</h2>
        <p>
          Open “Report this bot” on the bot’s page, choose “{reasonText('correction')}”, and say what should be there:
          another category, author or post, or an integration to be removed. The operator reads every report.
        </p>
        <h2 id="own">Your own bot</h2>
        <p>
          To have it removed, choose “{reasonText('my-own')}” in the same form. Say how the operator can verify that it
          is yours: for example with a post from the account that is named as its author.
        </p>
        <h2 id="removed">What happens then</h2>
        <ul>
          <li>A report hides nothing by itself, and nobody but the operator sees it.</li>
          <li>A corrected bot keeps its address, its installs and its place in the list.</li>
          <li>
            A bot whose template is gone leaves the lists after some days, and comes back when the template does. Each
            template is read again automatically.
          </li>
          <li>A bot that the operator hides looks as if it had never been listed, and may come back.</li>
          <li>
            A removed bot leaves every list. Its page says that it was removed, and why. Its template can’t be submitted
            again.
          </li>
        </ul>
        <h2 id="post">A showcase post</h2>
        <p>
          Use “Report a post” at the end of the <a href="/feed">showcase</a>
          {contact !== undefined && (
            <>
              , or <a href={to.contact(contact)}>write to the operator</a>
            </>
          )}
          .
        </p>
      </div>
    </Layout>
  );
};
