import { suite } from '../../vitest.suite.ts';
import manifest from './package.json' with { type: 'json' };

export default suite({ define: { __VERSION__: JSON.stringify(manifest.version) } });
