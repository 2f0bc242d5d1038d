/** Every file that is generated from the contract, as `npm run generate` writes it and the tests expect it. */
import { readFileSync } from 'node:fs';
import * as contractModule from '@bot-directory/contract';
import { withReference } from './api-reference.ts';
import { formatted } from './formatted.ts';
import { makeReceiverSamples, makeReceiverSources } from './receiver-sources.ts';
import { makeSdkSources } from './sdk-sources.ts';

const { eventSchemas, openApi } = contractModule;

/** The repository's folder. */
export const root = new URL('../../', import.meta.url);

/** Path in the repository → text, as oxfmt formats it. */
export const generatedFiles = async (): Promise<Map<string, string>> => {
  const sdk = makeSdkSources(contractModule);
  const delivered = eventSchemas;
  const receiver = makeReceiverSources(delivered);
  const texts = {
    'packages/contract/openapi.json': JSON.stringify(openApi()),
    'docs/API.md': withReference(textOf('docs/API.md')),
    'packages/sdk/README.md': withReference(textOf('packages/sdk/README.md')),
    'packages/sdk/src/types.gen.ts': sdk.types,
    'packages/sdk/src/operations.gen.ts': sdk.operations,
    'packages/webhook-receiver/src/types.gen.ts': receiver.types,
    'packages/webhook-receiver/src/testing/samples.gen.ts': makeReceiverSamples(delivered),
    'packages/webhook-receiver/src/event-types.gen.ts': receiver.eventTypes,
  };
  const entries = Object.entries(texts).map(async ([path, text]) => [path, await formatted(path, text)] as const);
  return new Map(await Promise.all(entries));
};

const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');
