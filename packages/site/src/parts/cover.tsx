/** The cover of a bot, and the face of an author. Decoration: the name is next to it. */
import { drawingOf, letterOf } from './drawing.ts';

type Drawn = { readonly of: string; readonly isBig?: boolean };

/** The same face for a handle with `@` or without, in any case. */
export const Face = ({ of: handle, ...size }: Drawn) => (
  <Cover of={handle.replace(/^@/, '').toLowerCase()} name={handle} {...size} />
);

/** `of`: the slug. */
export const Cover = ({ of, name, isBig = false }: Drawn & { readonly name: string }) => {
  const { ground, ink, shape, turn } = drawingOf(of);
  return (
    <span class={`cover tone-${ground}${isBig ? ' cover-big' : ''}`} aria-hidden="true" data-letter={letterOf(name)}>
      <svg class={`tone-${ink}`} viewBox="0 0 8 8">
        <path {...(turn === 0 ? {} : { transform: `rotate(${turn} 4 4)` })} d={shape} />
      </svg>
    </span>
  );
};
