/** The page: one client of the directory, and the three parts that use it. */
import { createClient } from '@bot-directory/sdk';
import { showNews } from './live.ts';
import { setUpSearch } from './search.ts';
import { setUpSubmit } from './submit.ts';

const baseUrl = new URLSearchParams(location.search).get('directory') ?? 'http://localhost:3000';
const directory = createClient({ baseUrl });

const refresh = setUpSearch(directory);
setUpSubmit(directory, refresh);
refresh();
void showNews(directory, refresh);
