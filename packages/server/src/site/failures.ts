/** Failures that only pages have. */
import type { FieldError } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';

/** An invalid parameter in the URL. */
export const refusedQuery = (errors: readonly FieldError[]): Failure =>
  new Failure('invalid_request', 'A part of the address after its question mark can’t be read:', { errors });

/** A form that was sent from another site. */
export const notFromHere = (): Failure =>
  new Failure('invalid_request', 'This form was not sent from a page of this site. Programs write through the API.');

/** A form about a webhook with an unknown action. */
export const invalidAction = (): Failure =>
  new Failure('invalid_request', 'The form says neither register, status nor remove.', {
    errors: [{ pointer: '/action', detail: 'must be register, status or remove' }],
  });

/** A path that leads to nothing. */
export const nothingHere = (): Failure => new Failure('not_found', 'There is nothing at this path.');
