/** What compilers of applications make of a published file: some compile classes, generators and `async` away. */
import { createRequire } from 'node:module';

/** Compiles the text of a CommonJS file. */
export type Compile = (text: string) => Promise<string>;

const here = createRequire(import.meta.url);

interface Babel {
  readonly transformAsync: (text: string, options: object) => Promise<{ code?: string | null } | null>;
}

const babel =
  (preset: string, options?: object): Compile =>
  async (text) => {
    const { transformAsync } = here('@babel/core') as Babel;
    const result = await transformAsync(text, {
      presets: [[here.resolve(preset), options]],
      filename: 'index.cjs',
      configFile: false,
      babelrc: false,
      compact: true,
    });
    return result?.code ?? '';
  };

const swc: Compile = async (text) => {
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, {
    jsc: { target: 'es5' },
    module: { type: 'commonjs' },
    isModule: false,
    swcrc: false,
  });
  return code;
};

/** The compilers, by name. */
export const functionCompilers: Readonly<Record<string, Compile>> = {
  'Babel’s preset-env without targets': babel('@babel/preset-env'),
  'SWC to ES5': swc,
  'React Native’s preset': babel('@react-native/babel-preset', { enableBabelRuntime: false }),
};
