import { createClient } from '@bot-directory/sdk';

const baseUrl = process.env.DIRECTORY_URL ?? 'https://directory.example.com';

/** For what is rendered for each request. */
export const fresh = createClient({ baseUrl, fetchOptions: { cache: 'no-store' } });

/** For what is rendered again after a minute. */
export const kept = fresh.withOptions({ fetchOptions: { next: { revalidate: 60 } } });
