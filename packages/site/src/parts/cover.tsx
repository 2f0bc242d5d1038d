/** The cover of a bot, or the face of an author. */
import { drawingOf, letterOf } from './drawing.ts';

/** Decoration: the name is next to it. `of`: a slug or handle. */
export const Cover = ({ of, name, isBig = false }: { of: string; name: string; isBig?: boolean }) => {
  const { ground, ink, shape, turn } = drawingOf(of);
  return (
    <span class={`cover tone-${ground}${isBig ? ' cover-big' : ''}`} aria-hidden="true" data-letter={letterOf(name)}>
      <svg class={`tone-${ink}`} viewBox="0 0 8 8">
        <path {...(turn === 0 ? {} : { transform: `rotate(${turn} 4 4)` })} d={shape} />
      </svg>
    </span>
  );
};
