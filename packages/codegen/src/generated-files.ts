/** Every file that is generated from the contract, as `npm run generate` writes it and the tests expect it. */
import * as contractModule from '@bot-directory/contract';
import { format, resolveConfig } from 'prettier';
import { makeReceiverSources } from './receiver-sources.ts';
import { makeSdkSources } from './sdk-sources.ts';

const { deliveredEventTypes, eventSchemas, openApi } = contractModule;

/** The repository's folder. */
export const root = new URL('../../../', import.meta.url);

/** Path in the repository → text, as Prettier formats it. */
export const generatedFiles = async (): Promise<Map<string, string>> => {
  const sdk = makeSdkSources(contractModule);
  const delivered = Object.fromEntries(deliveredEventTypes.map((type) => [type, eventSchemas[type]]));
  const receiver = makeReceiverSources(delivered);
  const texts = {
    'packages/contract/openapi.json': JSON.stringify(openApi()),
    'packages/sdk/src/types.gen.ts': sdk.types,
    'packages/sdk/src/operations.gen.ts': sdk.operations,
    'packages/webhook-receiver/src/types.gen.ts': receiver.types,
    'packages/webhook-receiver/src/event-types.gen.ts': receiver.eventTypes,
  };
  const formatted = Object.entries(texts).map(
    async ([path, text]) => [path, await formatAs(new URL(path, root), text)] as const,
  );
  return new Map(await Promise.all(formatted));
};

const formatAs = async ({ pathname }: URL, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(pathname)), filepath: pathname });
