/** Integrations by name and mark. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { letterOf } from './drawing.ts';
import { to } from './href.ts';
import { markOf } from './integration-names.ts';
import { useNames } from './names.ts';

/** The most characters that all marks of most pages have together. They compress to half: decision 0120. */
const mostShapes = 7_000;

const Shown = createContext<ReadonlySet<string>>(new Set());

const idOf = (slug: string): string => `mark-${slug.replaceAll('-', '')}`;

type WithMarks = {
  readonly of: readonly string[];
  /** @default mostShapes */
  readonly room?: number;
  readonly children: ComponentChildren;
};

/**
 * Inside this element, the first of these integrations that have a mark are shown with it. `Sprite` must be inside,
 * too.
 */
export const Marked = ({ of, room = mostShapes, children }: WithMarks) => {
  const shown = new Set<string>();
  let left = room;
  for (const slug of new Set(of)) {
    const { length } = markOf(slug) ?? '';
    if (length === 0 || length > left) continue;
    left -= length;
    shown.add(slug);
  }
  return <Shown.Provider value={shown}>{children}</Shown.Provider>;
};

/** The marks, each once; they are drawn where they are used. */
export const Sprite = () => (
  <Shown.Consumer>
    {(shown) =>
      shown.size > 0 && (
        <svg class="hidden" aria-hidden="true">
          {[...shown].map((slug) => (
            <symbol key={slug} id={idOf(slug)} viewBox="0 0 24 24">
              <path d={markOf(slug)} />
            </symbol>
          ))}
        </svg>
      )
    }
  </Shown.Consumer>
);

/** An integration's mark, or its first letter if the page has no mark of it, and its name. */
export const Integration = ({ slug }: { slug: string }) => {
  const name = useNames()(slug);
  return (
    <>
      {useContext(Shown).has(slug) ? (
        <svg class="icon filled" aria-hidden="true">
          <use href={to.id(idOf(slug))} />
        </svg>
      ) : (
        // No text: a search of the page, a copy and a screen reader need the name only.
        <span class="icon initial" aria-hidden="true" data-letter={letterOf(name)} />
      )}
      {name}
    </>
  );
};
