/** A form that submits a bot, with a message for each outcome. */
import { createClient } from '@bot-directory/sdk';
import { useActionState } from 'react';

const directory = createClient({ baseUrl: 'https://directory.example.com' });

const submit = async (_before: string, form: FormData): Promise<string> => {
  const outcome = await directory.bots.submit(String(form.get('link'))).safe();
  if (outcome.ok) return `Published at ${directory.urlOf(outcome.data)}`;
  switch (outcome.status) {
    case 409:
      return `Already listed at ${directory.urlOf(outcome.problem)}`;
    case 400:
      return (outcome.problem.errors ?? [outcome.problem]).map(({ detail }) => detail).join(' ');
    case null:
      return 'The directory can’t be reached. Try again later.';
    default:
      return outcome.problem.detail;
  }
};

export const SubmitBot = () => {
  const [message, action, isSending] = useActionState(submit, '');
  return (
    <form action={action}>
      <input name="link" type="url" aria-label="Template link" required />
      <button disabled={isSending}>Submit</button>
      <p role="status">{message}</p>
    </form>
  );
};
