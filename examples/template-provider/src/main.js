/** `node src/main.js [port]`: runs the provider until it gets a signal. */
import { startTemplateProvider } from './provider.js';

const { origin } = await startTemplateProvider({ port: Number(process.argv[2] ?? 4000) });
console.log(`The demo template provider is at ${origin}.`);
