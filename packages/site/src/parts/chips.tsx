/** Categories and integrations as links into the directory. */
import { createContext } from 'preact';
import { to } from './href.ts';
import { Integration } from './integration.tsx';

/** The categories that have a page. */
export const Known = createContext<readonly string[]>([]);

/** A link to a category's page; without one it is text. */
export const CategoryLink = ({ name, ...attributes }: { name: string; class?: string }) => (
  <Known.Consumer>
    {(known) =>
      known.includes(name) ? (
        <a href={to.directory({ categories: [name] })} {...attributes}>
          {name}
        </a>
      ) : (
        <span {...attributes}>{name}</span>
      )
    }
  </Known.Consumer>
);

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
        <CategoryLink name={name} class="chip" />
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
