/**
 * Checks the messages of commits: a subject of at most 60 characters without `;`, and a body that says why
 * (CONTRIBUTING.md). It checks all commits of this checkout after the one that added this file; without a history, or
 * where that commit is beyond the history of a shallow clone, it checks those that there are. Merges are exempt.
 * `node scripts/commits.mjs`.
 */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const longest = 60;

/**
 * Returns what is wrong with a message.
 * @param {string} message
 */
export const complaintsAbout = (message) => {
  const [subject = '', ...body] = message.trim().split('\n');
  return [
    ...(subject.length > longest ? [`the subject has ${subject.length} characters, more than ${longest}`] : []),
    ...(subject.includes(';') ? ['the subject has a ";": these are two commits'] : []),
    ...(/^[^:\s]+(?: [^:\s]+)*: \S/.test(subject) ? [] : ['the subject is not "area: what changes"']),
    ...(body.join('').trim() === '' ? ['no body says why'] : []),
  ];
};

/**
 * Returns the output of git, or nothing if it fails or is missing.
 * @param {string} folder
 * @param {string[]} args
 */
const git = (folder, ...args) => {
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
};

/**
 * Checks the commits of a checkout. Returns how many it checked, and what is wrong with them.
 * @param {string} folder
 */
export const checkCommits = (folder) => {
  // The history of a folder above is not ours: a copy without `.git` may lie in a checkout.
  if (git(folder, 'rev-parse', '--show-prefix') !== '') return { count: 0, complaints: [] };
  const added =
    git(folder, 'log', '--format=%H', '--diff-filter=A', '--', 'scripts/commits.mjs').split('\n').at(-1) ?? '';
  // In a shallow clone the oldest commit seems to add every file: it is the first that is not checked.
  const list = git(folder, 'log', '--no-merges', '--format=%h%x00%B%x01', added === '' ? 'HEAD' : `${added}..HEAD`);
  const commits = list
    .split('\x01')
    .map((entry) => entry.trim().split('\0'))
    .filter(([hash]) => hash !== '');
  const complaints = commits.flatMap(([hash = '', message = '']) =>
    complaintsAbout(message).map((complaint) => `${hash} ${message.split('\n', 1)[0] ?? ''}: ${complaint}`),
  );
  return { count: commits.length, complaints };
};

if (import.meta.filename === process.argv[1]) {
  const { count, complaints } = checkCommits(root);
  console.log(
    complaints.length === 0 ? `The messages of ${count} commits are as they should be.` : complaints.join('\n'),
  );
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
