/** The form that submits a bot, with its own message for each outcome. */
import type { Client, Outcome, PublishedBot, SubmitBotProblems } from '@bot-directory/sdk';
import { element, say } from './view.ts';

/** Listens to the form; `done` is called when a bot was published. */
export const setUpSubmit = (directory: Client, done: () => void): void => {
  const form = element('submit', HTMLFormElement);
  const send = async () => {
    say('outcome', 'Submitting …');
    const outcome = await directory.bots.submit({ link: element('link', HTMLInputElement).value }).safe();
    say('outcome', wordsFor(outcome));
    if (!outcome.ok) return;
    form.reset();
    done();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
};

const wordsFor = (outcome: Outcome<PublishedBot, SubmitBotProblems>): string => {
  if (outcome.ok) return `Published as ${outcome.data.slug}.`;
  switch (outcome.status) {
    case 409:
      return `It is already listed as ${outcome.error.problem.slug}.`;
    case 404:
      return 'The template provider has no template at this link.';
    case 400:
      return (outcome.error.problem.errors ?? [outcome.error.problem]).map(({ detail }) => detail).join(' ');
    case 429:
      return `Too many submissions. Try again in ${Math.ceil((outcome.error.retryAfterMs ?? 60_000) / 1_000)} seconds.`;
    case null:
      return "The directory can't be reached. Try again later.";
    default:
      return outcome.error.problem.detail;
  }
};
