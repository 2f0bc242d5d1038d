/** 100,000 requests made from the OpenAPI document: every response is as documented, and none is a 5xx. */
import { startDirectory } from '@bot-directory/testing/directory';
import { fuzz } from '@bot-directory/check-openapi/fuzz';

const count = Number(process.env.FUZZ_REQUESTS ?? 100_000);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

// The rate limit must not refuse a request before its operation sees it.
process.env.WRITE_RATE_LIMIT = '0';
const directory = await startDirectory();
console.log(`${count} requests, FUZZ_SEED=${seed}`);
const { statuses, faults } = await fuzz(directory.baseUrl, { count, seed });
await directory.stop();
console.log(statuses);
for (const fault of faults.slice(0, 20)) console.log(fault);
console.log(`${faults.length} responses are not as documented`);
process.exitCode = faults.length === 0 ? 0 : 1;
