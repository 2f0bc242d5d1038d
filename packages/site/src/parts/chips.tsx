/** Categories and integrations as links into the directory. */
import { to } from './href.ts';
import { Integration } from './integration.tsx';

/** The items of a list of chips. */
export const Chips = ({
  categories = [],
  integrations = [],
}: {
  categories?: readonly string[];
  integrations?: readonly string[];
}) => (
  <>
    {categories.map((name) => (
      <li key={`c ${name}`}>
        <a class="chip" href={to.directory({ categories: [name] })}>
          {name}
        </a>
      </li>
    ))}
    {integrations.map((slug) => (
      <li key={`i ${slug}`}>
        <a class="chip chip-quiet" href={to.directory({ integrations: [slug] })}>
          <Integration slug={slug} />
        </a>
      </li>
    ))}
  </>
);
