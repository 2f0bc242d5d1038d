'use server';
import { revalidatePath } from 'next/cache';
import { fresh } from '../../lib/directory';

/** Submits the form's bot. An outcome may be sent to the browser as it is. */
export async function submit(_before: unknown, form: FormData) {
  const outcome = await fresh.bots.submit(String(form.get('link'))).safe();
  if (outcome.ok) revalidatePath('/');
  return outcome;
}
