'use client';
import { useActionState } from 'react';
import { submit } from './actions';

type Outcome = Awaited<ReturnType<typeof submit>>;

export default function Page() {
  const [outcome, action, isSending] = useActionState<Outcome | null, FormData>(submit, null);
  return (
    <form action={action}>
      <input name="link" type="url" aria-label="Template link" required />
      <button disabled={isSending}>Submit</button>
      {outcome && (
        <p>{outcome.ok ? outcome.data.url : outcome.status === null ? outcome.code : outcome.problem.detail}</p>
      )}
    </form>
  );
}
