/** The samples of code on the API reference: each call of the SDK sends what the curl command next to it sends. */
import { openApi } from '@bot-directory/contract';
import { expect, it } from 'vitest';
import { createClient } from '@bot-directory/sdk';
import { asDocument } from '../../../packages/site/src/docs/document.ts';
import { curlOf, groupsOf, sdkCallOf, successOf } from '../../../packages/site/src/docs/model.ts';

const baseUrl = 'https://directory.example.com';
const hosts = { template: 'bots.example.com', social: 'social.example.com' };
const operations = groupsOf(asDocument(openApi(baseUrl))).flatMap((group) => group.operations);

/** Returns what a call sends, as method, address and body. */
const sentBy = async (call: string): Promise<string[]> => {
  const sent: string[] = [];
  const directory = createClient({
    baseUrl,
    retries: 0,
    fetch: (url, { method, body }) => {
      sent.push(`${method} ${decodeURI(url)}`, ...(body === undefined ? [] : [body]));
      return Promise.resolve(Response.json({}, { status: 400 }));
    },
  });
  const module = `export default async (directory) => { ${call} };`;
  const { default: run } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
    default: (of: typeof directory) => Promise<void>;
  };
  await expect(run(directory)).rejects.toThrow();
  return sent;
};

/** Returns what a curl command sends, in the same form. */
const sentByCurl = (command: string): string[] => {
  const [, address = ''] = /'(https:[^']+)'/.exec(command) ?? [];
  const [, body] = /-d '(.+)'$/.exec(command) ?? [];
  const [, method = body === undefined ? 'GET' : 'POST'] = / -X (\w+)/.exec(command) ?? [];
  return [`${method} ${decodeURI(address)}`, ...(body === undefined ? [] : [body])];
};

it.each(operations)('$id is called by the SDK as by curl, and shows a success', async (operation) => {
  const curl = curlOf(operation, baseUrl, hosts);
  expect(await sentBy(sdkCallOf(operation, hosts))).toEqual(sentByCurl(curl));
  expect(successOf(operation)).toMatch(/^[[{]|^id: evt_/);
});
