import { suite } from '../../vitest.suite.ts';
import sdk from '../sdk/package.json' with { type: 'json' };

// What a build puts into the SDK, whose sources a test uses.
export default suite({ define: { __VERSION__: JSON.stringify(sdk.version) } });
