/**
 * The hot path: lists, bots and counts, answered from this process's copy of the directory before Express is reached.
 * A request costs its share of the version check, two map look-ups and a write; a 304 is decided before anything is made.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../base/failure.ts';
import { parseHttpDate } from '../domain/http-date.ts';
import { createAnswers, type AnswerSource } from './answers.ts';
import { listFailure } from './problems.ts';
import { createReadQuestion, type Question } from './questions.ts';
import { chooseEncoding, corsHeaders, type Representation } from './representation.ts';

/** Answers a request if it reads the directory; `undefined` if it does not. Rejects with the failure to show. */
export type Reads = (req: IncomingMessage, res: ServerResponse, requestId: string) => Promise<void> | undefined;

/** The reads of one directory. */
export const createReads = (source: AnswerSource): Reads => {
  const readQuestion = createReadQuestion(source.categories);
  const answerTo = createAnswers(source);

  const answer = async (question: Question | Failure, res: ServerResponse, requestId: string): Promise<void> => {
    if (question instanceof Failure) throw question;
    try {
      await source.directory.fresh();
    } catch (error) {
      throw listFailure(error);
    }
    write(res, answerTo(question), { requestId, checkedAtMs: source.directory.checkedAtMs });
  };

  return (req, res, requestId) => {
    if ((req.method !== 'GET' && req.method !== 'HEAD') || req.url?.startsWith('/api/') !== true) return undefined;
    const question = readQuestion(req.url);
    return question === undefined ? undefined : answer(question, res, requestId);
  };
};

const write = (
  res: ServerResponse,
  answer: Representation,
  { requestId, checkedAtMs }: { requestId: string; checkedAtMs: number },
): void => {
  const { headers: asked, method } = res.req;
  const { etag, body, headers } = answer.variant(chooseEncoding(asked['accept-encoding']));
  const { changedAtSec } = answer;
  // Within its own second, by the store's clock, a change could be followed by another that the date would not tell apart.
  const isDated = changedAtSec > 0 && changedAtSec < Math.floor(checkedAtMs / 1_000);
  const lastModified = isDated ? answer.dated : [];
  if (isUnchanged(asked, etag, isDated ? changedAtSec : undefined)) {
    res
      .writeHead(
        304,
        ['ETag', etag, 'Cache-Control', 'public, no-cache', 'Vary', 'Accept-Encoding'].concat(
          corsHeaders,
          lastModified,
          ['X-Request-Id', requestId],
        ),
      )
      .end();
    return;
  }
  res.writeHead(200, headers.concat(lastModified, ['X-Request-Id', requestId]));
  res.end(method === 'HEAD' ? undefined : body);
};

/** RFC 9110 §13.2.2: the date counts only when no tag was sent. */
const isUnchanged = (asked: IncomingMessage['headers'], etag: string, changedAtSec: number | undefined): boolean => {
  const tags = asked['if-none-match'];
  if (tags !== undefined)
    return tags === etag || tags === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const sinceMs = parseHttpDate(asked['if-modified-since'] ?? '');
  return sinceMs !== undefined && changedAtSec !== undefined && sinceMs >= changedAtSec * 1_000;
};
